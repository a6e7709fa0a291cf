"""A lexicon whose words have vectors."""

from __future__ import annotations

from copy import copy
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError
from fenjie.lexicon.arrays import open_array, save_array
from fenjie.lexicon.keys import Codes, slices
from fenjie.lexicon.lexicon import Lexicon
from fenjie.lexicon.matching import Matches
from fenjie.lexicon.number_types import Vectors
from fenjie.lexicon.units import UnitVectors
from fenjie.text.vocabulary import code_points

WORDS = "words"
"""The name of the table of words in a vectors folder."""


class WordVectors:
    """A lexicon and the vectors of its words.

    The words of the table that have one character are not words of the lexicon. They serve the
    words that have no vector, because they were added to the lexicon at run time: such a word gets
    the mean of the vectors of its characters, those left out that have none. Where no character
    has one, it gets the vector of unknown words.

    Attributes:
        table: the vectors of all words, those of one character among them.
        lexicon: the words of two and more characters.
        unknown: the vector of unknown words, `[dim]`.
    """

    def __init__(self, table: UnitVectors, unknown: Vectors | None = None) -> None:
        """Make the lexicon of a table.

        Args:
            table: the vectors of words.
            unknown: the vector of unknown words, `[dim]`; 0 where None.

        Raises:
            FenjieError: `unknown` has another size.
        """
        self.table = table
        self.unknown = np.zeros(table.dim, dtype=np.float32) if unknown is None else unknown
        if self.unknown.shape != (table.dim,):
            raise FenjieError(
                f"the vector of unknown words has the shape {self.unknown.shape}; "
                f"expected ({table.dim},)"
            )
        keys, rows = table.index
        single = slices(keys).get(1, slice(0, 0)).stop  # keys stand by length
        self._rows = rows[single:]
        self.lexicon = Lexicon(keys[single:], cache(self._codes))
        self._means: dict[int, Vectors] = {}

    @property
    def dim(self) -> int:
        """The size of a vector."""
        return self.table.dim

    def rows(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of the table in which words stand that the lexicon was made with: `[ids]`.

        Below 0 stand the words of one character, see `EveryWord`.
        """
        if len(ids) and ids.min() < 0:
            found = -1 - ids
            found[ids >= 0] = self._rows[ids[ids >= 0]]
            return found
        return self._rows[ids].astype(np.int64)

    def counts(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the frequency of words where the vectors come from: `[ids]`.

        Of a word of which that is not known, as one that was added at run time, it is 1.
        """
        known = ids < self.lexicon.fixed
        counts = np.ones(len(ids), dtype=np.float32)
        counts[known] = np.maximum(self._counts[self.rows(ids[known])], 1)
        return counts

    @cached_property
    def _counts(self) -> NDArray[np.float32]:
        return np.asarray(self.table.units.counts, dtype=np.float32)

    def __call__(self, ids: NDArray[np.int64]) -> Vectors:
        """The vectors of some words of the lexicon, those added at run time too: `[ids, dim]`.

        An id that no word has, as in the padding of an empty lexicon, gets the vector of unknown
        words.
        """
        added = ids >= self.lexicon.fixed
        if not added.any():
            return self.table(self.rows(ids))
        vectors = np.empty((len(ids), self.dim), dtype=np.float32)
        vectors[~added] = self.table(self.rows(ids[~added]))
        vectors[added] = [self._mean(number) for number in ids[added].tolist()]
        return vectors

    def with_rows(self, ids: NDArray[np.int64], vectors: NDArray[Any]) -> WordVectors:
        """Replace the vectors of some words; words added at run time are not taken over.

        Args:
            ids: words that the lexicon was made with, `[changed]`.
            vectors: `[changed, dim]`.
        """
        return WordVectors(self.table.with_rows(self.rows(ids), vectors), self.unknown)

    def copy(self) -> WordVectors:
        """The same words and vectors; words added to the lexicon of one are not in the other."""
        other = copy(self)
        other.lexicon, other._means = self.lexicon.copy(), {}
        return other

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the files of the table `words` of a vectors folder, which must be there.

        Raises:
            FileError: they cannot be written.
        """
        self.table.save(folder, WORDS)
        save_array(Path(folder) / f"{WORDS}.unknown.npy", self.unknown)

    @classmethod
    def open(cls, folder: str | PathLike[str]) -> WordVectors:
        """Open the table `words` of a vectors folder by memory-mapping.

        Raises:
            FileError: a file is missing or damaged.
        """
        unknown = Path(folder) / f"{WORDS}.unknown.npy"
        return cls(
            UnitVectors.open(folder, WORDS),
            open_array(unknown, "a vector") if unknown.exists() else None,
        )

    def _mean(self, number: int) -> Vectors:
        """The vector of a word that was added to the lexicon."""
        if number >= self.lexicon.size:
            return self.unknown
        if number not in self._means:
            word = self.lexicon.word(number)
            found, vectors = self.table.lookup(list(word))
            self._means[number] = vectors.mean(axis=0) if found.any() else self.unknown
        return self._means[number]

    def _codes(self) -> Codes:
        """The code points of the words of the lexicon, in the order of their ids."""
        names = self.table.units.names
        return code_points("".join([names[row] for row in self._rows.tolist()]))


class EveryWord:
    """Finds words of one character too, as SoftLexicon reads them.

    The number of such a word is `-1 - row`, by its row in the table of `WordVectors`.
    """

    def __init__(self, words: WordVectors) -> None:
        """Take the words with their vectors."""
        self._words = words
        keys, rows = words.table.index
        single = slices(keys).get(1, slice(0, 0))
        names = [words.table.units.names[row] for row in rows[single].tolist()]
        codes = code_points("".join(names)).astype(np.int64)
        order = np.argsort(codes)
        self._codes, self._ids = codes[order], -1 - rows[single][order].astype(np.int64)

    def of(self, words: WordVectors) -> EveryWord:
        """The same for a copy of the words."""
        other = copy(self)
        other._words = words
        return other

    def match(self, text: str) -> Matches:
        """Every occurrence of every word in a text."""
        codes = code_points(text)
        return self.match_codes(codes, np.array([len(codes)]))

    def match_codes(self, codes: Codes, ends: NDArray[np.int64]) -> Matches:
        """`match` for many texts that lie one after the other; see `Lexicon.match_codes`."""
        longer = self._words.lexicon.match_codes(codes, ends)
        if not len(self._codes):
            return longer
        place = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        start = np.flatnonzero(self._codes[place] == codes)
        single = Matches(start, start + 1, self._ids[place[start]])
        return Matches(*(np.concatenate(both) for both in zip(single, longer, strict=True)))
