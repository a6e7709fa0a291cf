"""Named entities as a task: labelled spans, learnt as one tag a character over a lattice."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fenjie.corpus.splits import in_blocks
from fenjie.errors import FenjieError, shorten
from fenjie.evaluation import word_scores
from fenjie.evaluation.entity_scores import EntityScores, mentions, score
from fenjie.evaluation.word_scores import WordScores
from fenjie.lexicon.word_pieces import PiecedText, WordPieceBatch
from fenjie.models import TAGGERS
from fenjie.nn.lattice import Lattice
from fenjie.recipe.datasets import CorpusRecipe
from fenjie.recipe.recipe import Recipe
from fenjie.runtime.lattices import LatticeReader, LatticeReading
from fenjie.runtime.model_files import LABELS, TRANSITIONS
from fenjie.runtime.tagged_words import TaggedWordReading
from fenjie.tasks.batches import Indices
from fenjie.tasks.corpora import fingerprint, labels_in, read_parts, read_sentences
from fenjie.tasks.inputs import LatticeInputs
from fenjie.tasks.lists import with_lists
from fenjie.tasks.mapping import LabelMap
from fenjie.tasks.partial import PartialTags
from fenjie.tasks.scorer import TorchScorer
from fenjie.tasks.segmentation import not_segmented
from fenjie.tasks.start import StartModel
from fenjie.text.normalise import Normaliser, apply
from fenjie.text.span import WORD, Sentence, Span
from fenjie.text.split import passages
from fenjie.text.tags import TagSet


class Example(NamedTuple):
    """A passage of text as the model reads it in training.

    Attributes:
        ids: `[length, columns]`, int32.
        start: the first characters of the words found in it, `[words]`, int32.
        end: the last characters, inclusive.
        word: the rows of the words in the model's table, `[words]`, int32.
        counts: how often each was seen where the vectors come from, `[words]`, float32.
        gold: the tag of each character, `[length]`, int16; see `PartialTags.encode`.
        pieced: the text in the word pieces of an encoder; none without one.
    """

    ids: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    word: NDArray[np.int32]
    counts: NDArray[np.float32]
    gold: NDArray[np.int16]
    pieced: PiecedText | tuple[()]


class Entities:
    """Learns to find entities; see `fenjie.tasks.task.Task`.

    Segmented text is read as spans of one label, and scored as words are.
    """

    def __init__(self, recipe: Recipe) -> None:
        """Read the data and the vectors, and build the model.

        Raises:
            FenjieError: a file is missing or malformed, spans overlap, there are words beside
                entities or words that do not tile their text, or nothing to learn.
        """
        self.recipe = recipe
        self._parts = read_parts(recipe.data, not_taggable, in_blocks)
        train = [part.corpora.train for part in self._parts]
        labels = labels_of(list(chain.from_iterable(train)))
        dev = list(chain.from_iterable(part.corpora.dev for part in self._parts))
        tested = (part.tested for part in self._parts)
        notes = [not_learnt(labels, labels_in(dev).union(*tested))]
        passage = recipe.data.passage
        learnt = [
            normalised(with_lists(sentences, labels, recipe.data.lists), recipe.text, passage)
            for sentences in train
        ]
        sentences = list(chain.from_iterable(learnt))
        if sentences and not labels:
            raise FenjieError("the training files have no entity to learn from")
        self.tagset = TagSet(labels)
        name, renamed = recipe.training.start, recipe.training.start_labels
        start = None if name is None else StartModel.open(name, recipe.text, renamed)
        self.inputs = LatticeInputs.make(
            [s.text for s in sentences],
            recipe.vocabulary,
            recipe.model.words,
            recipe.model.pretrained,
            start,
        )
        self.module = TAGGERS[recipe.architecture](recipe.model, self.inputs.sizes(self.tagset))
        self.inputs.start(self.module)
        if start is not None:
            notes.append(str(self.inputs.take(start, self.module, self.tagset)))
        self.notes = "\n".join(filter(None, notes))
        self._tags = PartialTags(self.tagset, [part.types for part in self._parts])
        self._examples = [
            self._example(sentence, number)
            for number, part in enumerate(learnt)
            for sentence in part
        ]
        weights = (part.weight for part in self._parts)
        self.weights = np.repeat([*weights], [len(part) for part in learnt])
        self.lengths = [len(example.ids) for example in self._examples]
        self.fingerprint = fingerprint(
            array for *arrays, pieced in self._examples for array in (*arrays, *pieced)
        )
        self.held = sum(len(part.corpora.dev) for part in self._parts)
        self.summary = f"{self.inputs.summary}; labels {', '.join(labels)}"
        self._segments = labels == [WORD]
        self._reader = LatticeReader(
            recipe.text,
            self.inputs.indexer,
            self.inputs.finder,
            pieces=self.inputs.pieces,
            passage=passage,
        )
        self._dev = self._reader.read([s.text for s in dev])

    def _example(self, sentence: Sentence, part: int) -> Example:
        ids = self.inputs.indexer(sentence.text).astype(np.int32)
        start, end, rows, counts = self.inputs.words(sentence.text)
        gold = self._tags.encode(sentence, part)
        places = start.astype(np.int32), (end - 1).astype(np.int32)
        pieced = () if self.inputs.pieces is None else self.inputs.pieces(sentence.text)
        return Example(ids, *places, rows, counts, gold, pieced)

    def batch(self, indices: Indices, random: np.random.Generator) -> tuple[Lattice, Tensor]:
        """The lattices and tags of some passages."""
        examples = [self._examples[index] for index in indices]
        pieced = [example.pieced for example in examples if example.pieced]
        lattice = Lattice.of(
            [example.ids for example in examples],
            [example.start for example in examples],
            [example.end for example in examples],
            word=[example.word for example in examples],
            counts=[example.counts for example in examples],
            word_pieces=WordPieceBatch.of(pieced) if pieced else None,
        )
        return lattice, self._tags.gold([example.gold for example in examples])

    def dev(self, device: torch.device) -> EntityScores | WordScores:
        """Score the model on the dev sentences of all corpora, by the types that each one marks."""
        gold = [(part.types, part.corpora.dev) for part in self._parts]
        known = [sentence for part in self._parts for sentence in part.corpora.train]
        return self._score(gold, self._dev, known, device)

    def test(self, name: str, device: torch.device) -> EntityScores | WordScores:
        """Score the model on a test file; mentions of the held-out share are known ones."""
        recipes = zip(self.recipe.data.parts, self._parts, strict=True)
        recipe, part = next(both for both in recipes if name in both[0].test)
        labels = LabelMap(recipe) if isinstance(recipe, CorpusRecipe) else None
        gold = read_sentences(name, recipe, not_taggable, labels)
        reading = self._reader.read([s.text for s in gold])
        known = [sentence for each in self._parts for sentence in each.corpora.all]
        return self._score([(part.types, gold)], reading, known, device)

    def _score(
        self,
        gold: Sequence[tuple[Collection[str] | None, Sequence[Sentence]]],
        reading: LatticeReading,
        known: Sequence[Sentence],
        device: torch.device,
    ) -> EntityScores | WordScores:
        """Compare the entities of a reading with gold sentences, by the types that these mark."""
        vectors = self.inputs.tuned(self.module)
        scorer = TorchScorer(self.module, vectors, device)
        table = self.module.crf.table().cpu().numpy()
        sentences = [sentence for _, part in gold for sentence in part]
        if self._segments:
            cut = TaggedWordReading(reading, self.tagset, table).sentences(scorer)
            words = {word for s in known for word in s.words}
            return word_scores.score(sentences, cut, words)
        found = reading.entities(scorer, self.tagset, table)
        types = [marked for marked, sentences in gold for _ in sentences]
        predicted = [Sentence(s.text, spans) for s, spans in zip(sentences, found, strict=True)]
        right, answers = (
            [
                sentence if marked is None else sentence.only(marked)
                for sentence, marked in zip(some, types, strict=True)
            ]
            for some in (sentences, predicted)
        )
        return score(right, answers, mentions(known))

    def scores(self, state: Mapping[str, Any]) -> EntityScores | WordScores:
        """The scores whose fields were saved as JSON."""
        return (WordScores if self._segments else EntityScores)(**state)

    def write(self, folder: Path) -> dict[str, Any]:
        """Write labels, vocabularies, the words with their vectors, and the CRF's table."""
        labels = "".join(f"{label}\n" for label in self.tagset.labels)
        (folder / LABELS).write_text(labels, encoding="utf-8", newline="\n")
        table = self.module.crf.table().cpu().numpy().astype(np.float32)
        np.save(folder / TRANSITIONS, table, allow_pickle=False)
        return self.inputs.write(folder, self.module) | {"passage": self.recipe.data.passage}


def labels_of(sentences: Sequence[Sentence]) -> list[str]:
    """The labels of training data, sorted.

    Raises:
        FenjieError: words are among them, and entities too, or a sentence without words.
    """
    labels = sorted(labels_in(sentences))
    if WORD in labels and len(labels) > 1:
        others = ", ".join(label for label in labels if label != WORD)
        words = next(s.text for s in sentences if WORD in labels_in([s]))
        entities = next(s.text for s in sentences if labels_in([s]) - {WORD})
        raise FenjieError(
            f"the training files have words (label {WORD}), as of {shorten(words)}, beside "
            f"{others}, as of {shorten(entities)}"
        )
    if WORD in labels:
        for sentence in sentences:
            if (wrong := not_segmented(sentence)) is not None:
                found = shorten(sentence.text)
                raise FenjieError(f"words are learnt, and a sentence {wrong}; found {found}")
    return labels


def not_learnt(labels: Sequence[str], scored: AbstractSet[str]) -> str:
    """Say which labels of the files that score a model it cannot find; nothing where it finds all.

    Raises:
        FenjieError: words are learnt and entities are scored, or the other way round.
    """
    new = sorted(scored - set(labels))
    if not new:
        return ""
    if WORD in (*labels, *new):
        learnt, others = ", ".join(labels), ", ".join(new)
        raise FenjieError(
            f"words (label {WORD}) and entities are learnt apart: the training files have "
            f"{learnt}, those for dev and test {others}"
        )
    return f"labels for dev or test that training lacks, each counted as missed: {', '.join(new)}"


def not_taggable(sentence: Sentence) -> str | None:
    """Say why the spans of a sentence cannot be written as tags; None where they can.

    Words must tile the sentence. A model folder has a label a line, in UTF-8.
    """
    last_end = 0
    for span in sentence.spans:
        if "\n" in span.label or "\r" in span.label:
            return f"has a label with a line end: {span.label!r}"
        if _SURROGATE.search(span.label):
            return f"has a label with a lone surrogate: {span.label!r}"
        if span.start < last_end:
            return f"has overlapping spans at {span.start}–{span.end}"
        last_end = span.end
    return not_segmented(sentence) if labels_in([sentence]) == {WORD} else None


_SURROGATE = re.compile("[\ud800-\udfff]")


def normalised(
    sentences: Iterable[Sentence], normaliser: Normaliser, passage: int
) -> list[Sentence]:
    """The sentences as a model sees them: normalised, without whitespace, in passages."""
    made = (without_whitespace(apply(normaliser, sentence)) for sentence in sentences)
    return [part for sentence in made for part in in_passages(sentence, passage)]


def without_whitespace(sentence: Sentence) -> Sentence:
    """The sentence without its whitespace; a span of nothing else is dropped."""
    text = sentence.text
    if not any(character.isspace() for character in text):
        return sentence
    place = np.cumsum([0, *(not character.isspace() for character in text)]).tolist()
    spans = (Span(place[s.start], place[s.end], s.label) for s in sentence.spans)
    kept = (span for span in spans if span.end > span.start)
    return Sentence("".join(text.split()), tuple(kept))


def in_passages(sentence: Sentence, passage: int) -> Iterator[Sentence]:
    """Cut a sentence where the tagger would cut its text, but never inside of an entity."""
    begin = 0
    for _, end in passages(sentence.text, passage):
        if any(span.start < end < span.end for span in sentence.spans):
            continue
        inside = (s for s in sentence.spans if begin <= s.start and s.end <= end)
        spans = tuple(Span(s.start - begin, s.end - begin, s.label) for s in inside)
        yield Sentence(sentence.text[begin:end], spans)
        begin = end
