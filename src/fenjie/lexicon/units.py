r"""A table of vectors of characters, bigrams or words, in files that open at once.

A table NAME is these files of a vectors folder:

- `NAME.txt`: a unit, a tab and how often it was seen, the most frequent first. Whitespace,
  backslashes and what cannot be seen are escaped: `\U0000000a` is a line feed.
- `NAME.npy`: the vectors, `[units, dim]`, int8, float16 or float32, in the order of the text; or
  two numbers of four bits a byte, uint8 `[units, dim / 2]`, which are unpacked when the table
  is opened.
- `NAME.scale.npy`: the factor of each int8 vector, float32 `[units]`.
- `NAME.index.npy`: the keys of the units (`fenjie.lexicon.keys`), sorted, as pairs of uint32, then
  the row of each: uint32 `[3 * units]`. Without this file, the index is made from the text.

The arrays are memory-mapped, the text is read when a unit is to be named. As frequent units stand
first, what a text needs of a large table lies close together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fenjie.errors import FenjieError, FileError, shorten
from fenjie.files import atomic, open_bytes
from fenjie.lexicon.arrays import open_array, save_array
from fenjie.lexicon.keys import LONGEST, NO_KEY, Keys, same_key, word_keys
from fenjie.lexicon.number_types import (
    LARGEST_HALF,
    TYPES,
    Vectors,
    kept_as,
    number_type,
    pack,
    quantised,
    unpack,
)
from fenjie.lexicon.word_files import Form, Report, read_vectors

TABLES = ("characters", "bigrams", "words")
"""The tables of a vectors folder."""

Rows = NDArray[np.int64]


class Units(NamedTuple):
    """The units of a table in the order of its rows, and how often each was seen.

    Attributes:
        names: the units.
        counts: how often each was seen, 0 where that is not known: `[units]`.
    """

    names: list[str]
    counts: NDArray[np.int64]


class Index(NamedTuple):
    """Where the vector of a unit lies.

    Attributes:
        keys: the keys of the units, sorted, `[units]`.
        rows: the row of each, `[units]`.
    """

    keys: Keys
    rows: NDArray[np.uint32]


class UnitVectors:
    """Units and a vector for each."""

    def __init__(
        self,
        table: NDArray[Any],
        scale: Vectors | None,
        index: Index,
        units: Callable[[], Units],
        packed: bool = False,
    ) -> None:
        """Take the parts; `build` and `open` make them.

        Args:
            table: `[units, dim]`, int8, float16 or float32.
            scale: the factor of each row, `[units]`; None for 1.
            index: where each unit lies.
            units: reads the list of units.
            packed: whether `save` writes two int8 numbers of the table, -7 to 7, in a byte.
        """
        self.table, self.scale, self.index, self.packed = table, scale, index, packed
        self._read_units = units

    @classmethod
    def build(
        cls,
        names: Sequence[str],
        counts: NDArray[np.int64] | Sequence[int],
        vectors: NDArray[Any],
        dtype: DTypeLike = np.int8,
    ) -> UnitVectors:
        """Make a table.

        Args:
            names: the units, of 1 to 31 characters; the most frequent first is best.
            counts: how often each was seen, 0 where that is not known.
            vectors: `[units, dim]`, of any kind of floating-point number.
            dtype: how the vectors are kept: int8, float16 or float32.

        Raises:
            FenjieError: a unit is empty, too long or repeated; a vector holds a number that is not
                finite; sizes differ; vectors are not kept as `dtype`.
        """
        kept = number_type(dtype)
        counts = np.asarray(counts, dtype=np.int64)
        if vectors.ndim != 2 or not len(names) == len(counts) == len(vectors):
            raise FenjieError(
                f"{len(names)} units need as many counts and vectors; "
                f"found {len(counts)} and {vectors.shape}"
            )
        table, scale = kept_as(vectors, kept)
        return cls(table, scale, indexed(names), lambda: Units(list(names), counts))

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        form: Form | None = None,
        report: Report | None = None,
        dtype: DTypeLike = np.int8,
    ) -> UnitVectors:
        """Read a word2vec file, text or binary, plain, gzip or xz; see `fenjie.lexicon.word_files`.

        The vectors are made small as they are read. Counts are 0: such files have none.

        Args:
            path: the file.
            form: `vectors` or `binary`; where None, this is guessed.
            report: called with each line that is skipped; where None, one warning counts them.
            dtype: how the vectors are kept: int8, float16 or float32.

        Raises:
            FileError: the file cannot be read, is damaged, or holds no vectors.
            FenjieError: vectors are not kept as `dtype`.
        """
        kept = number_type(dtype)
        names: list[str] = []
        tables, scales = [], []
        for words, vectors in read_vectors(path, form, report):
            names += words
            try:
                table, scale = kept_as(vectors, kept)
            except FenjieError as error:
                raise FileError(path, str(error)) from error
            tables.append(table)
            scales.append(np.empty(0, np.float32) if scale is None else scale)
        table = np.empty((len(names), tables[0].shape[1]), dtype=kept)
        last = len(names)
        while tables:  # the last first, so that each can go at once
            part = tables.pop()
            table[last - len(part) : last] = part
            last -= len(part)
        scale = np.concatenate(scales) if kept == np.int8 else None
        units = Units(names, np.zeros(len(names), dtype=np.int64))
        return cls(table, scale, indexed(names), lambda: units)

    @property
    def dim(self) -> int:
        """The size of a vector."""
        return int(self.table.shape[1])

    def __len__(self) -> int:
        """The number of units."""
        return len(self.table)

    def nearest(self, row: int, number: int) -> list[tuple[str, float]]:
        """The units with the greatest cosine to the unit of a row, and the cosines."""
        vectors = unit_length(self(np.arange(len(self))))
        cosines = vectors @ vectors[row]
        cosines[row] = -2
        best = np.argsort(-cosines, kind="stable")[: min(number, len(self) - 1)]
        return [(self.units.names[place], float(cosines[place])) for place in best.tolist()]

    @cached_property
    def units(self) -> Units:
        """The units and their counts, in the order of the rows.

        Raises:
            FileError: their file is missing or damaged.
        """
        return self._read_units()

    def __call__(self, rows: Rows) -> Vectors:
        """The vectors of some rows: `[rows, dim]`."""
        vectors = self.table[rows].astype(np.float32)
        return vectors if self.scale is None else vectors * self.scale[rows, None]

    def rows(self, names: Sequence[str]) -> Rows:
        """The row of each unit, -1 where there is none: `[names]`."""
        if not len(self):
            return np.full(len(names), -1, dtype=np.int64)
        keys = word_keys(names)
        place = np.minimum(np.searchsorted(self.index.keys, keys), len(self) - 1)
        known = self.index.keys[place] == keys
        return np.where(known, self.index.rows[place].astype(np.int64), -1)

    def lookup(self, names: Sequence[str]) -> tuple[NDArray[np.bool_], Vectors]:
        """Which of some units have a vector `[names]`, and the vectors of those `[found, dim]`."""
        rows = self.rows(names)
        found = rows >= 0
        return found, self(rows[found])

    def with_rows(self, rows: Rows, vectors: NDArray[Any]) -> UnitVectors:
        """Return the table with other vectors in some rows, kept as this one keeps its own.

        Args:
            rows: the rows, `[changed]`.
            vectors: `[changed, dim]`.
        """
        table = np.array(self.table)
        if self.scale is None:
            table[rows], _ = kept_as(vectors, table.dtype)
            return UnitVectors(table, None, self.index, lambda: self.units)
        scale = np.array(self.scale)
        table[rows], scale[rows] = quantised(vectors)
        return UnitVectors(table, scale, self.index, lambda: self.units)

    def halved(self) -> UnitVectors:
        """Return the table with vectors whose numbers have four bits, for `save`.

        Raises:
            FenjieError: the size of the vectors is odd.
        """
        if self.dim % 2:
            raise FenjieError(f"vectors of four bits have an even size; found {self.dim}")
        table, scale = quantised(self(np.arange(len(self))), LARGEST_HALF)
        return UnitVectors(table, scale, self.index, lambda: self.units, packed=True)

    def save(self, folder: str | PathLike[str], name: str) -> None:
        """Write the files of the table.

        Raises:
            FileError: they cannot be written.
        """
        folder = Path(folder)
        names, counts = self.units
        with atomic(folder / f"{name}.txt") as made, made.open("wb") as file:
            for unit, count in zip(names, counts.tolist(), strict=True):
                file.write(f"{_escaped(unit)}\t{count}\n".encode())
        save_array(folder / f"{name}.npy", pack(self.table) if self.packed else self.table)
        if self.scale is not None:
            save_array(folder / f"{name}.scale.npy", self.scale)
        keys = np.ascontiguousarray(self.index.keys).view(np.uint32)
        save_array(folder / f"{name}.index.npy", np.concatenate([keys, self.index.rows]))

    @classmethod
    def open(cls, folder: str | PathLike[str], name: str) -> UnitVectors:
        """Open a table by memory-mapping.

        Raises:
            FileError: a file is missing or damaged, or they do not belong together.
        """
        folder = Path(folder)
        path = folder / f"{name}.txt"
        table = open_array(folder / f"{name}.npy", "a table of vectors")
        if table.ndim == 2 and table.dtype == np.uint8:
            table = unpack(table)
        if table.ndim != 2 or table.dtype not in TYPES:
            found = f"{table.dtype} {table.shape}"
            raise FileError(folder / f"{name}.npy", "is no table of vectors", found=found)
        size = len(table)
        scale = None
        if table.dtype == np.int8:
            scale = _of_size(folder / f"{name}.scale.npy", np.float32, size)
            if not np.isfinite(scale).all():
                raise FileError(folder / f"{name}.scale.npy", "holds a number that is not finite")
        units = cache(lambda: read_units(path, size))
        if not path.is_file():
            raise FileError(path, "is missing")
        if not (folder / f"{name}.index.npy").exists():
            return cls(table, scale, indexed(units().names), units)
        packed = _of_size(folder / f"{name}.index.npy", np.uint32, 3 * size)
        index = Index(packed[: 2 * size].view(np.uint64), packed[2 * size :])
        if (index.rows >= size).any():
            raise FileError(
                folder / f"{name}.index.npy",
                "does not fit the table",
                found=int(index.rows.max()),
                expected=f"rows below {size}",
            )
        return cls(table, scale, index, units)


def indexed(names: Sequence[str]) -> Index:
    """The index of some units.

    Raises:
        FenjieError: a unit is empty, too long or repeated, or two share a key by chance.
    """
    keys = word_keys(names)
    wrong = np.flatnonzero(keys == NO_KEY)
    if len(wrong):
        found = shorten(names[int(wrong[0])])
        raise FenjieError(f"a unit has 1 to {LONGEST} characters; found {found}")
    order = np.argsort(keys)
    again = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    if len(again):
        one, other = (names[int(order[again[0] + step])] for step in (0, 1))
        repeated = FenjieError(f"the unit {shorten(one)} is repeated")
        raise repeated if one == other else same_key(one, other)
    return Index(keys[order], order.astype(np.uint32))


def unit_length(vectors: NDArray[np.floating]) -> Vectors:
    """Vectors scaled to length 1, `[vectors, dim]`; those of length 0 stay."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(length > 0, length, 1)).astype(np.float32)


def read_units(path: Path, size: int) -> Units:
    """Read the list of the units of a table.

    Raises:
        FileError: the file is missing or damaged, or does not hold `size` units.
    """
    with open_bytes(path) as file:
        content = file.read()
    try:
        parts = content.decode().replace("\n", "\t").split("\t")
        names, counts = parts[:-1:2], np.array(parts[1::2], dtype=np.int64)
        if b"\\" in content:
            names = [_ESCAPE.sub(lambda match: chr(int(match[1], 16)), name) for name in names]
    except (ValueError, OverflowError) as error:  # not utf-8, no number, no code point
        raise FileError(path, "is no list of units and counts") from error
    if not len(names) == len(counts) == size or parts[-1]:
        raise FileError(path, "does not fit the table", found=len(names), expected=f"{size} units")
    return Units(names, counts)


_ESCAPE = re.compile(r"\\U([0-9a-f]{8})")


def _escaped(unit: str) -> str:
    if unit.isprintable() and not set(" \\") & set(unit):
        return unit
    return "".join(
        character
        if character.isprintable() and character not in " \\"
        else f"\\U{ord(character):08x}"
        for character in unit
    )


def _of_size(path: Path, dtype: DTypeLike, size: int) -> NDArray[Any]:
    array = open_array(path, "a table of vectors")
    if array.dtype != dtype or array.shape != (size,):
        found = f"{array.dtype} {array.shape}"
        raise FileError(path, "does not fit the table", found=found, expected=f"{size} numbers")
    return array
