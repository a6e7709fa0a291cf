"""A lexicon whose words have vectors."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon.keys import slices
from fenjie.lexicon.lexicon import Lexicon
from fenjie.lexicon.units import UnitVectors, Vectors, open_array, save_array

WORDS = "words"
"""The name of the table of words in a vectors folder."""


class WordVectors:
    """A lexicon and the vectors of its words.

    The words of the table that have one character are not words of the lexicon: a word that has
    no vector, because it was added at run time, gets the mean of those of its characters that
    have one, and where none has, a vector for unknown words.

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
        """
        self.table = table
        self.unknown = np.zeros(table.dim, dtype=np.float32) if unknown is None else unknown
        keys, rows = table.index
        single = slices(keys).get(1, slice(0, 0)).stop  # keys stand by length
        self._rows = rows[single:]
        self.lexicon = Lexicon(keys[single:])

    @property
    def dim(self) -> int:
        """The size of a vector."""
        return self.table.dim

    def rows(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of the table in which words of the lexicon stand: `[ids]`."""
        return self._rows[ids].astype(np.int64)

    def __call__(self, ids: NDArray[np.int64]) -> Vectors:
        """The vectors of some words of the lexicon: `[ids, dim]`."""
        return self.table(self.rows(ids))

    def with_rows(self, ids: NDArray[np.int64], vectors: NDArray[Any]) -> WordVectors:
        """The same with other vectors for some words.

        Args:
            ids: the words, `[changed]`.
            vectors: `[changed, dim]`.
        """
        return WordVectors(self.table.with_rows(self.rows(ids), vectors), self.unknown)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the files of the table `words` of a vectors folder, which must be there.

        Raises:
            FileError: they cannot be written.
        """
        self.table.save(folder, WORDS)
        if self.unknown.any():
            save_array(Path(folder) / f"{WORDS}.unknown.npy", self.unknown)

    @classmethod
    def open(cls, folder: str | PathLike[str]) -> WordVectors:
        """Open the table `words` of a vectors folder by memory-mapping.

        Raises:
            FileError: a file is missing or damaged.
        """
        unknown = Path(folder) / f"{WORDS}.unknown.npy"
        return cls(
            UnitVectors.open(folder, WORDS), open_array(unknown) if unknown.exists() else None
        )
