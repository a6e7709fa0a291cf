"""Files in blocks of whole lines: as they come, or of equal size, from any block on."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from fenjie.files import BYTE_ORDER_MARK, checked_encoding, decoded, open_bytes

STANDARD = "-"
"""Stands for standard input."""

SIZE = 1 << 17
"""Bytes of a block, about."""

FIRST = 1 << 12
"""Bytes that are read first of what comes through a pipe: the first words are there at once."""


_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


class Place(NamedTuple):
    """Where a block ends, and the next one begins.

    Attributes:
        file: the number of the file, from 0.
        offset: bytes of it, unpacked, that come before.
        line: the number of its next line, from 1.
    """

    file: int = 0
    offset: int = 0
    line: int = 1


class Block(NamedTuple):
    """Whole lines of a file.

    Attributes:
        path: the file.
        line: the number of the first line, from 1.
        content: the lines.
        first: whether nothing came before it, from any file.
    """

    path: str
    line: int
    content: bytes
    first: bool

    def lines(self) -> Iterator[tuple[str, Block]]:
        """Each line as a block, with the name of its place."""
        for number, content in enumerate(_LINE.findall(self.content), self.line):
            yield f"{self.path}:{number}", self._replace(line=number, content=content)


class Reached(NamedTuple):
    """How far a piece of input reaches.

    Attributes:
        place: where the next piece begins.
        read: bytes read so far, as they lie on the disk, of all files.
        size: bytes of the piece, unpacked.
    """

    place: Any
    read: int
    size: int


class Line(NamedTuple):
    """A line of a file.

    Attributes:
        text: the line.
        end: what ends it: LF, CRLF, or nothing at the end of the file.
        before: what stands before it: the byte order mark of a file that has one, else nothing.
    """

    text: str
    end: str = ""
    before: str = ""


Cut = Callable[[BinaryIO], Iterator[bytes]]
"""Cuts a file into blocks of whole lines."""


def blocks(
    files: Sequence[str], cut: Cut, start: Sequence[int] | None = None
) -> Iterator[tuple[Block, Reached]]:
    """The blocks of some files, one after the other, and how far each reaches.

    A last line without an end gets one where another file follows.

    Args:
        files: paths, or `STANDARD`.
        cut: `arriving` or `equal`.
        start: the place to begin at.

    Raises:
        FileError: a file cannot be read.
    """
    place = Place(*(start or ()))
    before = sum(size_of(path) for path in files[: place.file])
    first = not place.offset and not before
    for number in range(place.file, len(files)):
        path = files[number]
        with open_bytes(path) as file:
            if place.offset:
                file.seek(place.offset)
            for content in cut(file):
                size, lines = len(content), content.count(b"\n")
                if not content.endswith(b"\n") and number + 1 < len(files):
                    content += b"\n"
                block = Block(path, place.line, content, first)
                place = Place(number, place.offset + size, place.line + lines)
                first = False
                yield block, Reached(place, before + read_so_far(file), size)
        before += size_of(path)
        place = Place(number + 1)


def size_of(path: str) -> int:
    """Bytes of a file on the disk; 0 for a pipe."""
    try:
        return (os.fstat(0) if path == STANDARD else Path(path).stat()).st_size
    except OSError:
        return 0


def read_so_far(file: BinaryIO) -> int:
    """Bytes that were read from the disk for a file, packed or not; 0 for a pipe."""
    try:
        return os.lseek(file.fileno(), 0, os.SEEK_CUR)
    except OSError:
        return 0


def arriving(file: BinaryIO) -> Iterator[bytes]:
    """Whole lines, as many as can be had without waiting: few at first, then more at a time."""
    begun: list[bytes] = []
    size = FIRST
    while block := file.read1(size):  # type: ignore[attr-defined]
        size = min(2 * size, SIZE)
        whole, found, rest = block.rpartition(b"\n")
        if found:
            ended = b"".join([*begun, whole, found])
            begun = [rest] if rest else []
            yield ended
            del ended
        else:
            begun.append(block)
    if begun:
        last = b"".join(begun)
        begun.clear()
        yield last


def equal(file: BinaryIO) -> Iterator[bytes]:
    """Whole lines of `SIZE` bytes or less, or one line; each block depends on its place alone."""
    rest = b""
    while content := rest + _exactly(file, SIZE - len(rest)):
        if len(content) < SIZE:
            yield content
            return
        cut = content.rfind(b"\n") + 1
        if cut:
            rest = content[cut:]
            yield content[:cut]
            continue
        line = [content]
        rest = b""
        while more := _exactly(file, SIZE):
            cut = more.find(b"\n") + 1
            line.append(more[:cut] if cut else more)
            if cut:
                rest = more[cut:]
                break
        content = b"".join(line)
        del line
        yield content


def _exactly(file: BinaryIO, size: int) -> bytes:
    """So many bytes of a file, fewer at its end alone."""
    pieces = []
    while size and (piece := file.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def lines_of(block: Block, encoding: str) -> list[Line]:
    """The lines of a block. Only LF ends a line; any other line separator stays where it is.

    Raises:
        FenjieError: there is no such encoding, or its line ends are not one byte (UTF-16).
        FileError: a line is not text in this encoding.
    """
    text = decoded(block.content, checked_encoding(encoding), block.path, block.line)
    mark = BYTE_ORDER_MARK if block.line == 1 and text.startswith(BYTE_ORDER_MARK) else ""
    *ended, rest = text.removeprefix(mark).split("\n")
    lines = [*map(_line, ended), *([Line(rest)] if rest else [])]
    if lines:
        lines[0] = lines[0]._replace(before=mark)
    return lines


def _line(line: str) -> Line:
    return Line(line[:-1], "\r\n") if line.endswith("\r") else Line(line, "\n")
