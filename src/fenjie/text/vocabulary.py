"""From text to the integers that a model reads: character ids and bigram ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, FileError
from fenjie.files import read_lines

PADDING, UNKNOWN = 0, 1
RESERVED = 2
"""Ids below this number stand for no unit: 0 is padding, 1 is any unknown unit."""

Ids = NDArray[np.int64]


class Vocabulary:
    """A fixed list of units (characters or bigrams) and their ids, from `RESERVED` upwards."""

    def __init__(self, units: Iterable[str]) -> None:
        """Number the units.

        Raises:
            FenjieError: a unit is empty or repeated.
        """
        self.units = tuple(units)
        self._ids = {unit: number for number, unit in enumerate(self.units, RESERVED)}
        if len(self._ids) < len(self.units) or "" in self._ids:
            raise FenjieError("a vocabulary cannot hold an empty or repeated unit")

    @classmethod
    def count(cls, units: Iterable[str], minimum: int = 1, limit: int | None = None) -> Vocabulary:
        """The units that occur at least `minimum` times, the most frequent first."""
        counts = Counter(units)
        kept = [unit for unit, count in counts.items() if count >= minimum]
        kept.sort(key=lambda unit: (-counts[unit], unit))
        return cls(kept[:limit])

    def __len__(self) -> int:
        """The number of ids, the reserved ones included."""
        return len(self.units) + RESERVED

    def __contains__(self, unit: object) -> bool:
        """Whether `unit` has an id of its own."""
        return unit in self._ids

    def ids(self, units: Iterable[str]) -> Ids:
        """The id of each unit, `UNKNOWN` where there is none."""
        get = self._ids.get
        return np.fromiter((get(unit, UNKNOWN) for unit in units), np.int64)

    def save(self, path: Path) -> None:
        """Write one unit a line; white space, backslashes and what cannot be seen are escaped."""
        lines = "".join(f"{_HIDDEN.sub(_escape, unit)}\n" for unit in self.units)
        path.write_text(lines, encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read what `save` wrote.

        Raises:
            FileError: the file is missing or a line is empty or repeated.
        """
        units: dict[str, None] = {}
        for number, line in read_lines(path):
            unit = _ESCAPED.sub(_unescape, line)
            if not unit or unit in units:
                raise FileError(path, "empty or repeated unit", line=number, found=unit)
            units[unit] = None
        return cls(units)


_HIDDEN = re.compile(r"[\W_]")
_ESCAPED = re.compile(r"\\(\\|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\\":
        return r"\\"
    if character.isprintable() and not character.isspace():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return code if code == "\\" else chr(int(code[1:], 16))


class Indexer:
    """Turns a normalised text into the table of ids that a model embeds, a row a character.

    Column 0 holds the character, column 1 (where the model has bigrams) the bigram of the
    character and the one behind it; the last character is paired with `END`.
    """

    END = "\u0003"

    def __init__(self, characters: Vocabulary, bigrams: Vocabulary | None = None) -> None:
        self.vocabularies: tuple[Vocabulary, ...] = (
            (characters,) if bigrams is None else (characters, bigrams)
        )
        self._characters = _character_table(characters)
        if bigrams is not None:
            self._pairs, self._pair_ids = _pair_table(bigrams)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of ids of each column."""
        return tuple(map(len, self.vocabularies))

    def __call__(self, text: str) -> Ids:
        """The ids of `text`: `[length, columns]`."""
        codes = code_points(text)
        return self.rows(codes, np.array([len(codes)])).astype(np.int64)

    def rows(self, codes: NDArray[np.uint32], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """The ids of many texts that lie one behind the other, without a loop over characters.

        Args:
            codes: the code points of the texts, `[length]`.
            ends: offset behind the last character of each text, rising.

        Returns:
            `[length, columns]`.
        """
        # The last entry of the table stands for all code points above those it knows.
        known = np.minimum(codes, len(self._characters) - 1)
        table = np.empty((len(codes), len(self.vocabularies)), dtype=np.int32)
        table[:, 0] = self._characters[known]
        if len(self.vocabularies) > 1 and len(codes):
            behind = np.empty_like(codes)
            behind[:-1] = codes[1:]
            behind[ends[ends > 0] - 1] = ord(self.END)
            pairs = _pair(codes, behind)
            place = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
            table[:, 1] = np.where(self._pairs[place] == pairs, self._pair_ids[place], UNKNOWN)
        return table

    def save(self, folder: Path) -> None:
        """Write `vocab.txt`, and `bigrams.txt` where there are bigrams."""
        for vocabulary, name in zip(self.vocabularies, _FILES, strict=False):
            vocabulary.save(folder / name)

    @classmethod
    def load(cls, folder: Path) -> Indexer:
        """Read what `save` wrote.

        Raises:
            FileError: a file is missing or damaged.
        """
        files = [folder / name for name in _FILES]
        return cls(*(Vocabulary.load(file) for file in files if file.exists() or file is files[0]))


_FILES = ("vocab.txt", "bigrams.txt")


def code_points(text: str) -> NDArray[np.uint32]:
    """The code points of a text, lone surrogates included: `[length]`."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _character_table(characters: Vocabulary) -> NDArray[np.int32]:
    """The id of each code point; one more entry, `UNKNOWN`, at the end."""
    ids = {ord(unit): id_ for id_, unit in enumerate(characters.units, RESERVED) if len(unit) == 1}
    table = np.full(max(ids, default=-1) + 2, UNKNOWN, dtype=np.int32)
    table[list(ids)] = list(ids.values())
    return table


def _pair_table(bigrams: Vocabulary) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """The bigrams as sorted numbers, and the id of each; a number that is no bigram at the end."""
    ids = np.array(
        [id_ for id_, unit in enumerate(bigrams.units, RESERVED) if len(unit) == 2], dtype=np.int32
    )
    codes = code_points("".join(unit for unit in bigrams.units if len(unit) == 2))
    pairs = _pair(codes[::2], codes[1::2])
    order = np.argsort(pairs)
    none = np.array([np.iinfo(np.uint64).max], dtype=np.uint64)
    return np.concatenate((pairs[order], none)), np.append(ids[order], UNKNOWN).astype(np.int32)


def _pair(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> NDArray[np.uint64]:
    return (first.astype(np.uint64) << np.uint64(32)) | second


def bigrams(text: str) -> list[str]:
    """The pair of each character and the one behind it, as many as there are characters."""
    padded = text + Indexer.END
    return [padded[i : i + 2] for i in range(len(text))]


def collate(rows: Sequence[Ids], fill: int = PADDING) -> Ids:
    """Stack arrays of different lengths into one: `[batch, length, ...]`, filled up at the end.

    Raises:
        FenjieError: there is nothing to stack.
    """
    if not rows:
        raise FenjieError("an empty batch has no shape")
    length = max(map(len, rows))
    table = np.full((len(rows), length, *rows[0].shape[1:]), fill, dtype=np.int64)
    for target, row in zip(table, rows, strict=True):
        target[: len(row)] = row
    return table
