"""Raw text as one long row of ids on disk, and the rows of equal length that are learnt from."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FileError
from fenjie.lexicon.word_pieces import SPECIAL
from fenjie.text.raw import raw_lines
from fenjie.text.vocabulary import code_points

PAD, UNKNOWN, BEGIN, END, MASK = range(len(SPECIAL))
"""The ids of the special pieces."""

Ids = NDArray[np.uint16]

_BLOCK = 1 << 20
"""Characters that are turned into numbers at once."""

_MOST = 65_000
"""Distinct characters of a text that are counted; what comes later counts as unknown."""


@dataclass(frozen=True)
class PackedText:
    """A text, lines one after the other, with `END` after each.

    Attributes:
        ids: of its characters, `[length]`, uint16; those of the vocabulary follow the special ones.
        characters: the vocabulary, the most frequent character first.
    """

    ids: Ids
    characters: tuple[str, ...]

    def rows(self, length: int) -> int:
        """The number of rows of this length, the special pieces at both ends included."""
        return len(self.ids) // (length - 2)

    def batch(self, numbers: NDArray[np.int64], length: int) -> NDArray[np.int64]:
        """Some rows: `[rows, length]`; each begins with `BEGIN` and ends with `END`.

        Args:
            numbers: of the rows, `[rows]`.
            length: of a row.
        """
        inner = length - 2
        made = np.empty((len(numbers), length), dtype=np.int64)
        made[:, 0], made[:, -1] = BEGIN, END
        made[:, 1:-1] = self.ids[numbers[:, None] * inner + np.arange(inner)]
        return made


def normalised(line: str) -> str:
    """A line as the encoder reads it: in the form NFKC, without whitespace."""
    return "".join(unicodedata.normalize("NFKC", line).split())


def pack(
    paths: Sequence[Path], size: int, encoding: str, vocabulary: Sequence[str] = ()
) -> PackedText:
    """Read texts; see `PackedText`.

    Characters that are not printable are unknown, as are those beyond the vocabulary.

    Args:
        paths: the files, plain, gzip or xz, a paragraph a line.
        size: most characters in the vocabulary.
        encoding: of the files.
        vocabulary: the characters to use; without it the most frequent ones.

    Raises:
        FileError: a file cannot be read, is of another encoding, or holds a NUL or no text.
        FenjieError: there is no such encoding.
    """
    numbers = np.zeros(0x110000, dtype=np.uint16)  # by code point, in the order of first sight
    numbers[ord("\n")] = 1
    seen, parts = 2, list[Ids]()
    for path in paths:
        before = len(parts)
        for block in _blocks(raw_lines(path, encoding)):
            codes = code_points(block)
            new = np.unique(codes[numbers[codes] == 0])[: _MOST - seen]
            numbers[new] = np.arange(seen, seen + len(new))
            seen += len(new)
            parts.append(numbers[codes])
        if len(parts) == before:
            raise FileError(path, "holds no text")
    ids = np.concatenate(parts)
    counts = np.bincount(ids, minlength=seen)
    code = np.zeros(seen, dtype=np.int64)
    (known,) = numbers.nonzero()
    code[numbers[known]] = known
    order = sorted(range(2, seen), key=lambda number: (-counts[number], code[number]))
    often = [chr(code[number]) for number in order]
    kept = tuple(vocabulary) or tuple(filter(str.isprintable, often))[:size]
    final = np.full(seen, UNKNOWN, dtype=np.uint16)
    final[1] = END
    for number, character in enumerate(kept, len(SPECIAL)):
        if (place := numbers[ord(character)]) > 1:
            final[place] = number
    if not (final > MASK).any():
        raise FileError(paths[0], "holds no character that can be learnt, nor do the other texts")
    return PackedText(final[ids], kept)


def _blocks(lines: Iterable[str]) -> Iterator[str]:
    """Lines that hold text, normalised, each with a line end, several together."""
    block, size = [], 0
    for line in lines:
        if text := normalised(line):
            block.append(text)
            size += len(text)
        if size >= _BLOCK:
            yield "\n".join([*block, ""])
            block, size = [], 0
    if block:
        yield "\n".join([*block, ""])
