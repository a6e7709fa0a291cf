"""Characters and bigrams as numbers."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, FileError
from fenjie.files import open_bytes, read_lines

PADDING, UNKNOWN = 0, 1
RESERVED = 2
"""Ids below this number stand for no unit: 0 is padding, 1 is any unknown unit."""

Ids = NDArray[np.int64]

END = "\u0003"
"""Stands after the last character of a text in its last bigram."""


class Vocabulary:
    """A fixed list of units (characters or bigrams) and their ids, from `RESERVED` upwards."""

    def __init__(self, units: Iterable[str]) -> None:
        """Number the units.

        Raises:
            FenjieError: a unit is empty or repeated.
        """
        self.units = tuple(units)
        distinct = set(self.units)
        if len(distinct) < len(self.units) or "" in distinct:
            raise FenjieError("a vocabulary cannot hold an empty or repeated unit")

    @cached_property
    def _ids(self) -> dict[str, int]:
        return dict(zip(self.units, range(RESERVED, len(self)), strict=True))

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
        """Write one unit a line; whitespace, backslashes and what cannot be seen are escaped."""
        lines = "".join(f"{_HIDDEN.sub(_escape, unit)}\n" for unit in self.units)
        path.write_text(lines, encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read what `save` wrote.

        Raises:
            FileError: the file is missing or a line is empty or repeated.
        """
        with open_bytes(path) as file:
            content = file.read()
        with suppress(ValueError, OverflowError):  # then it is read line by line, to name the line
            if b"\r" not in content and not content.startswith(codecs.BOM_UTF8):
                return cls(_units(content.decode()))
        units: dict[str, None] = {}
        for number, line in read_lines(path):
            try:
                unit = _ESCAPED.sub(_unescape, line)
            except (ValueError, OverflowError) as error:
                raise FileError(path, "no such character", line=number, found=line) from error
            if not unit or unit in units:
                raise FileError(path, "empty or repeated unit", line=number, found=unit)
            units[unit] = None
        return cls(units)


def _units(text: str) -> list[str]:
    """The units that stand in a text, a line each."""
    lines = text.removesuffix("\n").split("\n") if text else []
    return [_ESCAPED.sub(_unescape, line) if "\\" in line else line for line in lines]


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


def code_points(text: str) -> NDArray[np.uint32]:
    """The code points of a text, lone surrogates included: `[length]`."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def text_of(codes: NDArray[np.uint32]) -> str:
    """The text of some code points, of any shape, one after the other."""
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def bigrams(text: str) -> list[str]:
    """The pair of each character and the one after it, as many as there are characters."""
    padded = text + END
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
