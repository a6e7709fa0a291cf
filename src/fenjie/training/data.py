"""From a recipe to what the loop reads: normalised sentences, ids, gold values."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fenjie.corpus import read
from fenjie.corpus.splits import last_share
from fenjie.errors import FenjieError, FileError, shorten
from fenjie.files import read_lines
from fenjie.lexicon import Lexicon
from fenjie.lexicon.indexer import Indexer
from fenjie.text.normalise import Normaliser, apply
from fenjie.text.span import Sentence
from fenjie.text.split import sentences as split_sentences
from fenjie.text.vocabulary import PADDING, UNKNOWN, Vocabulary, bigrams
from fenjie.training.recipe import DataRecipe, VocabularyRecipe, locate

CJK = (*range(0x3400, 0xA000), *range(0xF900, 0xFB00), *range(0x20000, 0x2A6E0))
"""The code points among which traditional characters are looked for."""

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
    """The sentences as a model sees them: normalised, without whitespace, none empty.

    A line of several sentences becomes several, as it does when a text is segmented.
    """
    made = (without_whitespace(apply(normaliser, sentence)) for sentence in sentences)
    return list(chain.from_iterable(map(single_sentences, made)))


def single_sentences(sentence: Sentence) -> Iterator[Sentence]:
    """Cut a segmented text behind its sentences, where a word ends there too."""
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
    known, shown = list(general), list(general)
    if recipe.words:
        counts = Counter(word for sentence in sentences for word in sentence.words)
        known.append(Lexicon.build(w for w, n in counts.items() if n >= recipe.words))
        shown.append(Lexicon.build(w for w, n in counts.items() if n > recipe.words))
    variants = simplified_variants(characters) if recipe.variants else None
    model = Indexer(characters, pairs, known, recipe.ngrams, variants)
    return model, Indexer(characters, pairs, shown, recipe.ngrams, variants)


def simplified_variants(characters: Vocabulary) -> Vocabulary:
    """Pairs of a traditional character without an id and its simplified form that has one."""
    simplify = Normaliser(width=False, simplify=True)
    unknown = [chr(code) for code in CJK if chr(code) not in characters]
    pairs = zip(unknown, (simplify(character).text for character in unknown), strict=True)
    return Vocabulary(old + new for old, new in pairs if new in characters)


def read_dictionaries(names: Iterable[str], normaliser: Normaliser) -> Iterator[str]:
    """The words of some dictionaries, normalised: the first column of each line."""
    for name in names:
        for _, line in read_lines(locate(name)):
            if columns := line.split(maxsplit=1):
                yield normaliser(columns[0]).text


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
