"""Segmentation as a task: words that tile the text, learnt as one decision a gap."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fenjie.corpus.splits import last_share
from fenjie.evaluation.word_scores import WordScores, score
from fenjie.files import read_lines
from fenjie.lexicon import Lexicon
from fenjie.lexicon.indexer import Indexer
from fenjie.models import SEGMENTERS
from fenjie.nn.batch import Batch
from fenjie.nn.decoders.gaps import IGNORED, gold_gaps
from fenjie.recipe.recipe import Recipe, VocabularyRecipe, locate
from fenjie.runtime.batching import UNBOUNDED
from fenjie.runtime.sentences import LIMITS, SentenceReader, SentenceReading
from fenjie.tasks.batches import Indices
from fenjie.tasks.corpora import Corpora, fingerprint, forget, read_corpora, read_sentences
from fenjie.tasks.scorer import TorchGapScorer
from fenjie.tasks.variants import simplified_variants
from fenjie.text.normalise import Normaliser, apply
from fenjie.text.span import Sentence
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
        self.corpora: Corpora = read_corpora(recipe.data, not_segmented, last_share)
        sentences = normalised(self.corpora.train, recipe.text)
        self.indexer, training_indexer = make_indexers(sentences, recipe.vocabulary, recipe.text)
        self.module = SEGMENTERS[recipe.architecture](recipe.model, self.indexer.sizes)
        # int32 and int8: all examples stay in memory for all epochs
        self._ids = [training_indexer(s.text).astype(np.int32) for s in sentences]
        self._gold = [gold_gaps(s).astype(np.int8) for s in sentences]
        self.lengths = [len(ids) for ids in self._ids]
        self.weights = np.ones(len(self._ids))
        self.fingerprint = fingerprint(chain.from_iterable(zip(self._ids, self._gold, strict=True)))
        self.notes = ""
        self.held = len(self.corpora.dev)
        self.summary = " + ".join(f"{size:,}" for size in self.indexer.sizes)
        limits = replace(LIMITS, characters=CHARACTERS, padding=UNBOUNDED)
        self._reader = SentenceReader(recipe.text, self.indexer, limits=limits)
        self._dev = self._reader.read([s.text for s in self.corpora.dev])
        self._words = {word for s in self.corpora.train for word in s.words}

    def batch(self, indices: Indices, random: np.random.Generator) -> tuple[Batch, Tensor]:
        """The padded ids and gold values of some sentences."""
        batch = Batch.of([self._ids[index] for index in indices])
        if rate := self.recipe.training.unknown:
            batch = Batch(torch.from_numpy(forget(batch.ids.numpy(), rate, random)), batch.lengths)
        return batch, torch.from_numpy(collate([self._gold[index] for index in indices], IGNORED))

    def dev(self, device: torch.device) -> WordScores:
        """Score the model on dev."""
        return self._score(self.corpora.dev, self._dev, self._words, device)

    def test(self, name: str, device: torch.device) -> WordScores:
        """Score the model on a test file; words of the held-out share are known ones."""
        gold = read_sentences(name, self.recipe.data, not_segmented)
        known = {word for sentence in self.corpora.all for word in sentence.words}
        return self._score(gold, self._reader.read([s.text for s in gold]), known, device)

    def _score(
        self,
        gold: Sequence[Sentence],
        reading: SentenceReading,
        known: set[str],
        device: torch.device,
    ) -> WordScores:
        return score(gold, reading.sentences(TorchGapScorer(self.module, device)), known)

    def scores(self, state: Mapping[str, Any]) -> WordScores:
        """The scores whose fields were saved as JSON."""
        return WordScores(**state)

    def write(self, folder: Path) -> dict[str, Any]:
        """Write the vocabularies and lexicons."""
        (folder / "labels.txt").write_text("W\n", encoding="utf-8", newline="\n")
        self.indexer.save(folder)
        return {"ngrams": self.indexer.sizes.ngrams}


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
    sentences: Sequence[Sentence], recipe: VocabularyRecipe, normaliser: Normaliser
) -> tuple[Indexer, Indexer]:
    """The indexer of a model, and the one with which it is trained.

    They differ in the training words alone: one that occurs just as often as it must is hidden
    while the model trains. Where it stands it would always be known, and in new text never.

    Args:
        sentences: the normalised training sentences.
        recipe: which units the model knows.
        normaliser: how the words of the dictionaries are normalised.
    """
    characters = Vocabulary.count(chain.from_iterable(s.text for s in sentences), recipe.minimum)
    pairs = None
    if recipe.bigrams:
        counted = chain.from_iterable(bigrams(s.text) for s in sentences)
        pairs = Vocabulary.count(counted, recipe.bigrams, recipe.limit or None)
    general = (
        [Lexicon.build(read_dictionaries(recipe.lexicon, normaliser))] if recipe.lexicon else []
    )
    known, in_training = list(general), list(general)
    if recipe.words:
        counts = Counter(word for sentence in sentences for word in sentence.words)
        known.append(Lexicon.build(w for w, n in counts.items() if n >= recipe.words))
        in_training.append(Lexicon.build(w for w, n in counts.items() if n > recipe.words))
    variants = simplified_variants(characters.units) if recipe.variants else None
    model = Indexer(characters, pairs, known, recipe.ngrams, variants)
    return model, Indexer(characters, pairs, in_training, recipe.ngrams, variants)


def read_dictionaries(names: Iterable[str], normaliser: Normaliser) -> Iterator[str]:
    """The words of some dictionaries, normalised: the first column of each line."""
    for name in names:
        for _, line in read_lines(locate(name)):
            if columns := line.split(maxsplit=1):
                yield normaliser(columns[0]).text
