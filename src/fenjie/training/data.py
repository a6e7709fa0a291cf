"""From a recipe to what the loop reads: normalised sentences, ids, gold values."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fenjie.corpus import read
from fenjie.corpus.splits import last_share
from fenjie.errors import FenjieError, FileError, shorten
from fenjie.text.normalise import Normaliser, apply
from fenjie.text.span import Sentence
from fenjie.text.vocabulary import PADDING, UNKNOWN, Indexer, Vocabulary, bigrams
from fenjie.training.recipe import DataRecipe, VocabularyRecipe, locate

_SPACE = re.compile(r"\s")
_JSONL = re.compile(r"\.jsonl(\.gz|\.xz)?$")


@dataclass(frozen=True)
class Corpora:
    """The sentences of a run, as they stand in the files.

    Attributes:
        train: to learn from.
        dev: to choose the best model on.
        words: all words of the training files, the held-out share included; what is not among
            them is out of vocabulary in a test file.
    """

    train: list[Sentence]
    dev: list[Sentence]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence as a model reads it.

    Attributes:
        ids: `[length, columns]`, int32.
        gold: what the model's `gold` gives, as int8.
    """

    ids: NDArray[np.int32]
    gold: NDArray[np.int8]


class Teacher(Protocol):
    """What knows the gold values of a sentence: a model."""

    def gold(self, sentence: Sentence) -> NDArray[np.int64]:
        """The gold values of a normalised sentence."""


def read_sentences(name: str, recipe: DataRecipe) -> list[Sentence]:
    """The segmented sentences of one file that a recipe names; empty ones are left out.

    Raises:
        FenjieError: there is no such file, it is malformed or empty, or its spans are not words.
    """
    path = locate(name)
    form = "jsonl" if _JSONL.search(name) else recipe.format
    sentences = [s for s in read(path, form, encoding=recipe.encoding).sentences if s.text]
    for number, sentence in enumerate(sentences, 1):
        if not sentence.tiled:
            raise FileError(
                path,
                f"sentence {number} is not segmented",
                found=sentence.text,
                expected="words that tile the text",
            )
    if not sentences:
        raise FileError(path, "holds no sentence")
    return sentences


def read_corpora(recipe: DataRecipe) -> Corpora:
    """Read the training and dev files.

    Raises:
        FenjieError: as `read_sentences` does.
    """
    files = [read_sentences(name, recipe) for name in recipe.train]
    words = frozenset(chain.from_iterable(s.words for s in chain.from_iterable(files)))
    if isinstance(recipe.dev, float):
        files[0], dev = map(list, last_share(files[0], recipe.dev))
    else:
        dev = list(chain.from_iterable(read_sentences(name, recipe) for name in recipe.dev))
    train = list(chain.from_iterable(files))
    if not train or not dev:
        raise FenjieError(
            f"{len(train)} sentences to train on and {len(dev)} for dev: too few; "
            f"first sentence {shorten((train or dev)[0].text)}"
        )
    return Corpora(train, dev, words)


def seen(text: str) -> list[int]:
    """The places of the characters that a model sees: all but whitespace."""
    return [place for place, character in enumerate(text) if not character.isspace()]


def without_whitespace(sentence: Sentence) -> Sentence:
    """The sentence without its whitespace; a word with whitespace inside becomes several."""
    if not _SPACE.search(sentence.text):
        return sentence
    words = chain.from_iterable(word.split() for word in sentence.words)
    return Sentence.from_words(words)


def normalised(sentences: Iterable[Sentence], normaliser: Normaliser) -> list[Sentence]:
    """The sentences as a model sees them: normalised, without whitespace, none empty."""
    made = (without_whitespace(apply(normaliser, sentence)) for sentence in sentences)
    return [sentence for sentence in made if sentence.text]


def make_indexer(sentences: Sequence[Sentence], recipe: VocabularyRecipe) -> Indexer:
    """The vocabularies of normalised training sentences."""
    characters = Vocabulary.count(chain.from_iterable(s.text for s in sentences), recipe.minimum)
    if not recipe.bigrams:
        return Indexer(characters)
    pairs = chain.from_iterable(bigrams(s.text) for s in sentences)
    return Indexer(characters, Vocabulary.count(pairs, recipe.bigrams, recipe.limit or None))


def make_examples(
    sentences: Iterable[Sentence], indexer: Indexer, teacher: Teacher
) -> list[Example]:
    """Index normalised sentences, once for all epochs."""
    return [
        Example(indexer(s.text).astype(np.int32), teacher.gold(s).astype(np.int8))
        for s in sentences
    ]


def fingerprint(examples: Iterable[Example]) -> str:
    """A checksum of training data, by which a resumed run knows its own."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(example.ids.tobytes())
        digest.update(example.gold.tobytes())
    return digest.hexdigest()


def forget(ids: NDArray[Any], rate: float, random: np.random.Generator) -> NDArray[Any]:
    """Replace each id by the unknown one with a probability; padding stays.

    Args:
        ids: `[batch, length, columns]`.
        rate: the probability.
        random: where chance comes from.
    """
    chosen = (random.random(ids.shape) < rate) & (ids != PADDING)
    return np.where(chosen, UNKNOWN, ids)
