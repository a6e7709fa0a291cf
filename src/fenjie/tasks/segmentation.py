"""Segmentation as a task: words that tile the text, learnt as one decision a gap."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, compress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fenjie.corpus.splits import last_share
from fenjie.evaluation.standard_scores import StandardScores
from fenjie.evaluation.word_scores import WordScores, score
from fenjie.files import read_lines
from fenjie.lexicon import Lexicon
from fenjie.lexicon.indexer import Indexer
from fenjie.models import SEGMENTERS
from fenjie.nn.batch import Batch
from fenjie.nn.decoders.gaps import IGNORED, gold_gaps
from fenjie.recipe.recipe import Recipe, VocabularyRecipe, locate
from fenjie.runtime.batching import UNBOUNDED
from fenjie.runtime.model_files import LABELS
from fenjie.runtime.sentences import LIMITS, SentenceReader
from fenjie.tasks.batches import Indices
from fenjie.tasks.corpora import fingerprint, forget, read_parts, read_sentences
from fenjie.tasks.scorer import TorchGapScorer
from fenjie.tasks.start_segmenter import StartSegmenter
from fenjie.tasks.start_vectors import start_from_vectors
from fenjie.tasks.variants import folding, simplified_variants
from fenjie.text.normalise import Normaliser, apply
from fenjie.text.span import WORD, Sentence
from fenjie.text.split import sentences as split_sentences
from fenjie.text.vocabulary import Vocabulary, bigrams, collate

_SPACE = re.compile(r"\s")

CHARACTERS = 8192
"""Characters of a batch for PyTorch at most, padding counted."""


class Segmentation:
    """Learns to segment; see `fenjie.tasks.task.Task`."""

    def __init__(self, recipe: Recipe) -> None:
        """Read the data and build the model.

        Raises:
            FenjieError: a file is missing or malformed, or its spans are not words.
        """
        self.recipe = recipe
        self._parts = read_parts(recipe.data, not_segmented, last_share)
        learnt = [normalised(part.corpora.train, recipe.text) for part in self._parts]
        standards = [part.standard for part in self._parts]
        name = recipe.training.start
        start = None if name is None else StartSegmenter(name, recipe, standards)
        if start is None:
            made = make_indexers(learnt, standards, recipe.vocabulary, recipe.text)
            self.indexer, training = made
        else:
            self.indexer = training = start.indexer
        self.module = SEGMENTERS[recipe.architecture](recipe.model, self.indexer.sizes)
        self.notes = "" if start is None else start.give(self.module)
        if (vectors := recipe.vocabulary.vectors) is not None:
            self.notes = start_from_vectors(self.module, self.indexer, locate(vectors))
        # int32 and int8: all examples stay in memory for all epochs
        self._ids = [
            reads(sentence.text).astype(np.int32)
            for reads, sentences in zip(map(training.of, standards), learnt, strict=True)
            for sentence in sentences
        ]
        self._gold = [gold_gaps(s).astype(np.int8) for s in chain.from_iterable(learnt)]
        self.lengths = [len(ids) for ids in self._ids]
        weights = [part.weight for part in self._parts]
        self.weights = np.repeat(weights, [len(sentences) for sentences in learnt])
        self.fingerprint = fingerprint(chain.from_iterable(zip(self._ids, self._gold, strict=True)))
        self.held = sum(len(part.corpora.dev) for part in self._parts)
        self.summary = str(self.indexer.sizes)
        if self.indexer.standards:
            self.summary += f"; standards {', '.join(self.indexer.standards)}"
        self._dev = [
            self._reader(part.standard).read([s.text for s in part.corpora.dev])
            for part in self._parts
        ]

    def batch(self, indices: Indices, random: np.random.Generator) -> tuple[Batch, Tensor]:
        """The padded ids and gold values of some sentences."""
        batch = Batch.of([self._ids[index] for index in indices])
        if rate := self.recipe.training.unknown:
            batch = Batch(torch.from_numpy(forget(batch.ids.numpy(), rate, random)), batch.lengths)
        return batch, torch.from_numpy(collate([self._gold[index] for index in indices], IGNORED))

    def _reader(self, standard: str | None) -> SentenceReader:
        """What reads texts by a standard."""
        limits = replace(LIMITS, characters=CHARACTERS, padding=UNBOUNDED)
        return SentenceReader(self.recipe.text, self.indexer.of(standard), limits=limits)

    def dev(self, device: torch.device) -> WordScores | StandardScores:
        """Score the model on dev, by each of its standards."""
        found: dict[str | None, WordScores] = {}
        for standard in dict.fromkeys(part.standard for part in self._parts):
            of_it = [part.standard == standard for part in self._parts]
            parts = list(compress(self._parts, of_it))
            gold = [sentence for part in parts for sentence in part.corpora.dev]
            scorer = TorchGapScorer(self.module, device)
            answers = (reading.sentences(scorer) for reading in compress(self._dev, of_it))
            words = {w for part in parts for sentence in part.corpora.train for w in sentence.words}
            found[standard] = score(gold, [*chain.from_iterable(answers)], words)
        named = {name: scores for name, scores in found.items() if name is not None}
        return StandardScores(named) if named else found[None]

    def test(self, name: str, device: torch.device) -> WordScores:
        """Score the model on a test file; words of the held-out share are known ones."""
        recipes = zip(self.recipe.data.parts, self._parts, strict=True)
        recipe, part = next(both for both in recipes if name in both[0].test)
        gold = read_sentences(name, recipe, not_segmented)
        alike = [other for other in self._parts if other.standard == part.standard]
        known = {w for other in alike for sentence in other.corpora.all for w in sentence.words}
        reading = self._reader(part.standard).read([s.text for s in gold])
        return score(gold, reading.sentences(TorchGapScorer(self.module, device)), known)

    def scores(self, state: Mapping[str, Any]) -> WordScores | StandardScores:
        """The scores whose fields were saved as JSON."""
        if "standards" not in state:
            return WordScores(**state)
        return StandardScores({n: WordScores(**own) for n, own in state["standards"].items()})

    def write(self, folder: Path) -> dict[str, Any]:
        """Write the vocabularies and lexicons."""
        (folder / LABELS).write_text(f"{WORD}\n", encoding="utf-8", newline="\n")
        self.indexer.save(folder)
        standards = {"standards": list(self.indexer.standards)} if self.indexer.standards else {}
        return {"ngrams": self.indexer.sizes.ngrams, **standards}


def not_segmented(sentence: Sentence) -> str | None:
    """Say why the spans of a sentence are not words that tile it; None where they are."""
    return None if sentence.tiled else "is not segmented: its spans are not words that tile it"


def without_whitespace(sentence: Sentence) -> Sentence:
    """The sentence without its whitespace; a word with whitespace inside becomes several."""
    if not _SPACE.search(sentence.text):
        return sentence
    words = chain.from_iterable(word.split() for word in sentence.words)
    return Sentence.from_words(words)


def normalised(sentences: Iterable[Sentence], normaliser: Normaliser) -> list[Sentence]:
    """The sentences as a model sees them: normalised, without whitespace, none empty.

    A line of several sentences becomes several, as it does when a text is segmented.
    """
    made = (without_whitespace(apply(normaliser, sentence)) for sentence in sentences)
    return list(chain.from_iterable(map(single_sentences, made)))


def single_sentences(sentence: Sentence) -> Iterator[Sentence]:
    """Cut a segmented text after its sentences, where a word ends there too."""
    words = iter(sentence.words)
    reached = 0
    for _, end in split_sentences(sentence.text):
        part = []
        while reached < end:
            part.append(next(words))
            reached += len(part[-1])
        if part:
            yield Sentence.from_words(part)


def make_indexers(
    parts: Sequence[Sequence[Sentence]],
    standards: Sequence[str | None],
    recipe: VocabularyRecipe,
    normaliser: Normaliser,
) -> tuple[Indexer, Indexer]:
    """The indexer of a model, and the one with which it is trained.

    They differ in the training words alone: one that occurs just as often as it must is hidden
    while the model trains. Where it stands it would always be known, and in new text never.

    Args:
        parts: the normalised training sentences of each corpus.
        standards: that of each corpus; None for a model of one standard without a name.
        recipe: which units the model knows.
        normaliser: how the words of the dictionaries are normalised.
    """
    first = (
        sentence.text
        for part, name in zip(parts, standards, strict=True)
        for sentence in part
        if name == standards[0]
    )
    variants = simplified_variants(first) if recipe.variants else None
    fold = folding(variants)
    texts = [sentence.text.translate(fold) for sentence in chain.from_iterable(parts)]
    characters = Vocabulary.count(chain.from_iterable(texts), recipe.minimum)
    pairs = None
    if recipe.bigrams:
        counted = chain.from_iterable(map(bigrams, texts))
        pairs = Vocabulary.count(counted, recipe.bigrams, recipe.limit or None)
    counts: dict[str | None, Counter[str]] = {name: Counter() for name in standards}
    for part, name in zip(parts, standards, strict=True):
        counts[name].update(word.translate(fold) for s in part for word in s.words)
    dictionary = list(read_dictionaries(recipe.lexicon, normaliser))

    def indexer(least: int) -> Indexer:
        """The indexer that knows the training words that occur so often."""
        lexicons = [dictionary] if dictionary else []
        own: dict[str, Lexicon | None] = {}
        for name, found in counts.items():
            words = frequent(found, least) if recipe.words else []
            if name is not None:
                own[name] = Lexicon.build(words) if recipe.words else None
            elif recipe.words:
                lexicons.append(words)
        if own and recipe.words:  # what one standard knows is news to the others
            together = sum(counts.values(), Counter[str]())
            lexicons = [[*dictionary, *frequent(together, least)]]
        made = [Lexicon.build(words) for words in lexicons]
        return Indexer(characters, pairs, made, recipe.ngrams, variants, own)

    return indexer(recipe.words), indexer(recipe.words + 1)


def frequent(counts: Counter[str], least: int) -> list[str]:
    """The words that occur so often."""
    return [word for word, number in counts.items() if number >= least]


def read_dictionaries(names: Iterable[str], normaliser: Normaliser) -> Iterator[str]:
    """The words of some dictionaries, normalised: the first column of each line."""
    for name in names:
        for _, line in read_lines(locate(name)):
            if columns := line.split(maxsplit=1):
                yield normaliser(columns[0]).text
