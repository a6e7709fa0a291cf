"""A linear model of gaps: weights of the n-grams around each, looked up and added; numpy alone.

The score of the gap between two characters is the sum of one weight for each n-gram of one to four
characters that lies near it. The weights of an n-gram at all places from which it is seen stand
in one row, so that each order of n-grams is one look-up a character, whatever the number of places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from fenjie.errors import FileError
from fenjie.lexicon.arrays import open_array, save_array
from fenjie.text.vocabulary import code_points

CHARACTERS, WEIGHTS = "characters.npy", "weights.npy"
"""The files: the number of each code point, and the weights of all orders, one after the other."""

BEGINS = ((-2, 3), (-2, 2), (-2, 1), (-2, 0))
"""For n-grams of each order the first and the last place of their first character from which a gap
sees them; 0 stands before the gap, 1 after it."""

ORDERS = len(BEGINS)

LEAD, TAIL = 3, 2
"""The number of characters before and after a text that its gaps see; they are line breaks, which
are whitespace as any other."""

SPACE, RARE = 0, 1
"""The number of all whitespace, and of all characters that have none of their own."""

KNOWN = 1 << 16
"""The number of code points in the table of characters; the last stands for all after it."""

Numbers = NDArray[np.uint16]
Scores = NDArray[np.int16]


class LinearGaps:
    """Scores gaps. It never changes, and may serve many threads.

    Attributes:
        characters: the number of each code point, `[KNOWN]`.
        tables: for each order the weights of its n-grams, `[rows, places]` int8; the numbers of
            rows are powers of two, that of the first order at least that of the characters.
        unit: the log-odds that a weight of 1 stands for.
    """

    def __init__(
        self, characters: Numbers, tables: Sequence[NDArray[np.int8]], unit: float
    ) -> None:
        """Take the weights."""
        self.characters, self.tables, self.unit = characters, tuple(tables), unit
        self._hashes = hashes(len(self.tables[0]))
        self._shifts = [shift_of(len(table)) for table in self.tables]

    @classmethod
    def open(cls, folder: Path, rows: Sequence[int], unit: float) -> LinearGaps:
        """Open the files of a model folder by memory-mapping.

        Args:
            folder: the folder.
            rows: the number of rows of each order.
            unit: the log-odds that a weight of 1 stands for.

        Raises:
            FileError: a file is missing, damaged, or does not fit the others.
        """
        characters = open_array(folder / CHARACTERS, "the numbers of characters")
        if characters.shape != (KNOWN,) or characters.dtype != np.uint16:
            raise FileError(
                folder / CHARACTERS,
                "does not hold a number for each code point",
                found=f"{characters.dtype} {characters.shape}",
                expected=f"uint16 {(KNOWN,)}",
            )
        if (largest := int(characters.max())) >= rows[0]:
            raise FileError(
                folder / CHARACTERS,
                "does not fit config.toml",
                found=largest,
                expected=f"numbers below {rows[0]}",
            )
        weights = open_array(folder / WEIGHTS, "weights")
        sizes = [count * places for count, places in zip(rows, PLACES, strict=True)]
        if weights.shape != (sum(sizes),) or weights.dtype != np.int8:
            raise FileError(
                folder / WEIGHTS,
                "does not fit config.toml",
                found=f"{weights.dtype} {weights.shape}",
                expected=f"int8 {(sum(sizes),)}",
            )
        bounds = pairwise(accumulate(sizes, initial=0))
        tables = [
            weights[low:high].reshape(-1, places)
            for (low, high), places in zip(bounds, PLACES, strict=True)
        ]
        return cls(np.array(characters), tables, unit)

    def save(self, folder: Path) -> None:
        """Write what `open` reads."""
        save_array(folder / CHARACTERS, self.characters)
        save_array(folder / WEIGHTS, np.concatenate([table.ravel() for table in self.tables]))

    def numbers(self, text: str) -> Numbers:
        """The numbers of the characters of a text, and of what its gaps see before and after it."""
        codes = code_points("\n" * LEAD + text + "\n" * TAIL)
        return self.characters.take(codes, mode="clip")

    def scores(self, numbers: Numbers) -> Scores:
        """The score of the gap before each character of a text, in units.

        Args:
            numbers: as `numbers` gives them, `[LEAD + length + TAIL]`.

        Returns:
            `[length]`; above 0, a word begins there.
        """
        length = len(numbers) - LEAD - TAIL
        total: Scores = np.zeros(length, dtype=np.int16)
        for table, rows in zip(self.tables, self.rows_of(numbers), strict=True):
            total += seen(table.take(rows, axis=0), length)
        return total

    def rows_of(self, numbers: Numbers) -> Iterator[NDArray[Any]]:
        """For each order the row of the n-gram that begins at each character of a text.

        Args:
            numbers: as `numbers` gives them.
        """
        yield numbers
        hashed = self._hashes.take(numbers, axis=0)
        mixed = hashed[:, 0]
        for order in range(1, ORDERS):
            mixed = mixed[:-1] + hashed[order:, order]
            yield mixed >> self._shifts[order]


PLACES = tuple(last - first + 1 for first, last in BEGINS)
"""The number of places from which a gap sees n-grams of each order."""


def seen(rows: NDArray[np.int8], length: int) -> Scores:
    """The sum of what each gap sees of the rows of one order: `[length]`.

    Args:
        rows: the weights of the n-gram that begins at each character, `[rows, places]`.
        length: the number of gaps.
    """
    down, across = rows.strides
    # Gap i sees row i + k at place k: a view of which each row begins one row later.
    view = as_strided(rows, (rows.shape[1], length), (down + across, down), writeable=False)
    summed: Scores = np.add.reduce(view, axis=0, dtype=np.int16)
    return summed


def hashes(count: int) -> NDArray[np.uint32]:
    """Random numbers for each character at each place of an n-gram: `[count, ORDERS]`.

    The sum of those of the characters of an n-gram is its hash (tabulation hashing).
    """
    mixed = np.arange(count * ORDERS, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(32)).astype(np.uint32).reshape(count, ORDERS)


def shift_of(rows: int) -> np.uint32:
    """The number of bits by which a hash is shifted to be the number of a row."""
    return np.uint32(32 - (rows.bit_length() - 1))
