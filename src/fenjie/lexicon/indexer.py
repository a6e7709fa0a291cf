"""From text to the table of integers that a model reads, a row a character."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FileError
from fenjie.lexicon.file_names import LEXICON_FILES, SHARED
from fenjie.lexicon.keys import stretch_keys
from fenjie.lexicon.lexicon import Lexicon
from fenjie.lexicon.longest import VIEWS, JointLexicons
from fenjie.lexicon.matching import places
from fenjie.lexicon.ngrams import TEMPLATES, hashed_ngrams
from fenjie.lexicon.standard_words import load_words, save_words
from fenjie.text.vocabulary import END, RESERVED, UNKNOWN, Ids, Vocabulary, code_points


class Sizes(NamedTuple):
    """Sizes of the columns of an id table, in this order.

    Attributes:
        characters: number of character ids; one column.
        bigrams: number of bigram ids; one column, none where it is 0.
        lexicons: number of lexicons; a column of `views` ids each.
        ngrams: number of n-gram ids, a power of two; `ngram_columns` columns, which are the last.
        standards: number of standards; one column of `standards` ids, none where it is 0.
    """

    characters: int
    bigrams: int = 0
    lexicons: int = 0
    ngrams: int = 0
    standards: int = 0

    @property
    def views(self) -> int:
        """The number of ids of a lexicon: each standard has ids of its own."""
        return RESERVED + VIEWS * max(self.standards, 1)

    def __str__(self) -> str:
        """What is read, but for the standards, in a few words."""
        names = ("character", "bigram", "lexicon", "n-gram weight")
        counted = [(size, name) for size, name in zip(self, names, strict=False) if size]
        return ", ".join(f"{size:,} {name}{'s' * (size > 1)}" for size, name in counted)


def ngram_columns(sizes: Sizes) -> int:
    """The number of n-gram columns, which are the last ones of a table."""
    return TEMPLATES + 2 * sizes.lexicons if sizes.ngrams else 0


class Indexer:
    """Turns a normalised text into ids: characters, then whatever else the model reads.

    A bigram column holds the pair of a character and the one after it (`END` after the last).
    A lexicon column holds, for each character, how long the longest lexicon words are that begin
    with it, end with it, and go on after it, as one id. N-gram columns hold the hashes of the
    n-grams around the gap after the character.

    A variant is a character that is read as another one, such as a traditional character of which
    the training text has the simplified form alone.

    A model may know several standards of segmentation. It reads a text by one of them: a column
    holds its id, the lexicon columns have ids of its own, and the words of its training text are
    the last lexicon. An indexer reads by the first one; `of` gives that of another.
    """

    def __init__(
        self,
        characters: Vocabulary,
        bigrams: Vocabulary | None = None,
        lexicons: Sequence[Lexicon] = (),
        ngrams: int = 0,
        variants: Vocabulary | None = None,
        standards: Mapping[str, Lexicon | None] | None = None,
    ) -> None:
        """Take what is read.

        Args:
            characters: the characters that are told apart.
            bigrams: the bigrams likewise; None for a model that reads none.
            lexicons: the words that are found in the text.
            ngrams: the number of weights of hashed n-grams; 0 for none.
            variants: pairs of a character and the one as which it is read.
            standards: the words of the training text by standard, all None where they are not
                read; None for a model of one standard without a name.
        """
        self.characters, self.bigrams, self.variants = characters, bigrams, variants
        self._general, self._words = tuple(lexicons), dict(standards or {})
        of_standards = [words for words in self._words.values() if words is not None]
        self._joint = JointLexicons((*self._general, *of_standards))
        self._choose(next(iter(self._words), None))
        self.sizes = Sizes(
            len(characters), len(bigrams or ()), len(self.lexicons), ngrams, len(self._words)
        )
        self._characters = _character_table(characters)
        self._fold = None if variants is None else _fold_table(variants)
        if bigrams is not None:
            self._pairs, self._pair_ids = _pair_table(bigrams)

    @property
    def standards(self) -> tuple[str, ...]:
        """The names of the standards; none for a model of one standard without a name."""
        return tuple(self._words)

    def of(self, standard: str | None) -> Indexer:
        """The indexer that reads by another standard, one of `standards`; None for this one."""
        if standard is None:
            return self
        other = copy(self)
        other._choose(standard)
        return other

    def _choose(self, standard: str | None) -> None:
        words = None if standard is None else self._words[standard]
        self._place = 0 if standard is None else self.standards.index(standard)
        self.lexicons = self._general if words is None else (*self._general, words)
        chosen = [*range(len(self._general))]
        if words is not None:
            chosen.append(len(self._general) + self._place)
        self._chosen = np.array(chosen, dtype=np.int64)

    def __call__(self, text: str) -> Ids:
        """The ids of `text`: `[length, columns]`."""
        codes = self.fold(code_points(text))
        return self.rows(codes, np.array([len(codes)])).astype(np.int64)

    def fold(self, codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The code points as which some code points are read: `[length]`."""
        if self._fold is None:
            return codes
        small = codes < len(self._fold)
        return np.where(small, self._fold[np.where(small, codes, 0)], codes)

    def rows(self, codes: NDArray[np.uint32], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """The ids of many texts that lie one after the other, without a loop over characters.

        Args:
            codes: the code points of the texts, as `fold` gives them, `[length]`.
            ends: offset after the last character of each text, rising.

        Returns:
            `[length, columns]`.
        """
        # The last entry of the table stands for all code points above those it knows.
        known = np.minimum(codes, len(self._characters) - 1)
        columns = [self._characters[known]]
        if self.bigrams is not None:
            columns.append(self._bigram_ids(codes, ends))
        if self.lexicons:
            views = self._joint.longest_words(codes, ends, self._chosen)
            columns += [*(views.ids() + (RESERVED + VIEWS * self._place))]
        if self._words:
            columns.append(np.full(len(codes), RESERVED + self._place, dtype=np.int32))
        if self.sizes.ngrams:
            each = [views.of(number) for number in range(len(self.lexicons))]
            columns += hashed_ngrams(codes, ends, each, self.sizes.ngrams)
        table = np.empty((len(codes), len(columns)), dtype=np.int32)
        for place, column in enumerate(columns):
            table[:, place] = column
        return table

    def knows(
        self, codes: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Which stretches of a text are words that the model knows, or one character: `[words]`.

        Args:
            codes: the code points of the text, as `fold` gives them.
            starts: where each begins, `[words]`.
            ends: the offset after its last character.
        """
        known: NDArray[np.bool_] = ends - starts == 1
        keys = stretch_keys(codes, starts, ends - starts)
        for lexicon in self.lexicons:
            known |= places(lexicon.keys, keys) >= 0
        return known

    def _bigram_ids(self, codes: NDArray[np.uint32], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        following = np.empty_like(codes)
        following[:-1] = codes[1:]
        following[ends[ends > 0] - 1] = ord(END)
        pairs = _pair(codes, following)
        # Of none, -1 is the place: that of the last number, which stands for no bigram.
        return self._pair_ids[places(self._pairs, pairs)]

    def save(self, folder: Path) -> None:
        """Write `vocab.txt`, and the files of bigrams, variants and lexicons if there are any."""
        self.characters.save(folder / "vocab.txt")
        if self.bigrams is not None:
            self.bigrams.save(folder / "bigrams.txt")
        if self.variants is not None:
            self.variants.save(folder / "variants.txt")
        for name, lexicon in zip(LEXICON_FILES, self._general, strict=False):
            lexicon.save(folder / name)
        words = {name: lexicon for name, lexicon in self._words.items() if lexicon is not None}
        if words:
            save_words(folder, words)

    @classmethod
    def load(cls, folder: Path, ngrams: int = 0, standards: Sequence[str] = ()) -> Indexer:
        """Read what `save` wrote.

        Args:
            folder: the model folder.
            ngrams: the number of n-gram ids.
            standards: the names of the standards.

        Raises:
            FileError: a file is missing or damaged.
        """
        bigrams, variants = folder / "bigrams.txt", folder / "variants.txt"
        pairs = Vocabulary.load(variants) if variants.exists() else None
        for number, unit in enumerate(pairs.units if pairs else (), 1):
            if len(unit) != 2:
                expected = "two characters"
                raise FileError(
                    variants, "is no variant", line=number, found=unit, expected=expected
                )
        words = load_words(folder, standards) if (folder / SHARED).exists() else {}
        names = [name for name in LEXICON_FILES if (folder / name).exists()]
        if words:
            names.remove(LEXICON_FILES[1])
        return cls(
            Vocabulary.load(folder / "vocab.txt"),
            Vocabulary.load(bigrams) if bigrams.exists() else None,
            [Lexicon.open(folder / name) for name in names],
            ngrams,
            pairs,
            words or dict.fromkeys(standards),
        )


def _character_table(characters: Vocabulary) -> NDArray[np.int32]:
    """The id of each code point; one more entry, `UNKNOWN`, at the end."""
    ids = {ord(unit): id_ for id_, unit in enumerate(characters.units, RESERVED) if len(unit) == 1}
    table = np.full(max(ids, default=-1) + 2, UNKNOWN, dtype=np.int32)
    table[list(ids)] = list(ids.values())
    return table


def _fold_table(variants: Vocabulary) -> NDArray[np.uint32]:
    """The code point as which each code point is read; `variants` holds pairs, such as 機机."""
    codes = code_points("".join(variants.units)).reshape(-1, 2)
    table = np.arange(int(codes[:, 0].max(initial=0)) + 1, dtype=np.uint32)
    table[codes[:, 0]] = codes[:, 1]
    return table


def _pair_table(bigrams: Vocabulary) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """The bigrams as sorted numbers, and the id of each; a number that is no bigram at the end."""
    sizes = np.fromiter(map(len, bigrams.units), np.int64, len(bigrams.units))
    ids = (np.flatnonzero(sizes == 2) + RESERVED).astype(np.int32)
    units = bigrams.units if len(ids) == len(sizes) else [u for u in bigrams.units if len(u) == 2]
    codes = code_points("".join(units))
    pairs = _pair(codes[::2], codes[1::2])
    order = np.argsort(pairs)
    none = np.array([np.iinfo(np.uint64).max], dtype=np.uint64)
    return np.concatenate((pairs[order], none)), np.append(ids[order], UNKNOWN).astype(np.int32)


def _pair(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> NDArray[np.uint64]:
    return (first.astype(np.uint64) << np.uint64(32)) | second
