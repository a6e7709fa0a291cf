"""Lines in as they come, text out at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from fenjie.cli.colors import in_terminal
from fenjie.errors import FileError, lines_shown
from fenjie.files import BYTE_ORDER_MARK, atomic, checked_encoding, decoded, open_bytes

if TYPE_CHECKING:
    from fenjie.text.span import Sentence

STANDARD = "-"
"""Stands for standard input."""

_READ = 1 << 17

_WRITTEN = 1 << 16
"""Characters of a line that are written at once, about."""


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


def bunches(path: str, encoding: str) -> Iterator[list[Line]]:
    """The lines of a file or of `STANDARD`, as many at a time as can be had without waiting.

    So a file is read in large pieces, and what comes slowly through a pipe is handed on at once.
    Only LF ends a line; any other line separator stays where it is.

    Raises:
        FenjieError: there is no such encoding, or its line ends are not one byte (UTF-16).
        FileError: the file cannot be read, or a line is not text in this encoding.
    """
    encoding = checked_encoding(encoding)
    number = 1
    with open_bytes(path) as file:
        for block in _blocks(file):
            bunch = _bunch(decoded(block, encoding, path, number), first=number == 1)
            number += block.count(b"\n")
            del block  # a long line is held once
            if bunch:
                yield bunch


def _bunch(lines: str, first: bool) -> list[Line]:
    """Whole lines one by one.

    Args:
        lines: the lines.
        first: whether they begin a file.
    """
    mark = BYTE_ORDER_MARK if first and lines.startswith(BYTE_ORDER_MARK) else ""
    *ended, rest = lines.removeprefix(mark).split("\n")
    bunch = [*map(_line, ended), *([Line(rest)] if rest else [])]
    if bunch:
        bunch[0] = bunch[0]._replace(before=mark)
    return bunch


def _line(line: str) -> Line:
    return Line(line[:-1], "\r\n") if line.endswith("\r") else Line(line, "\n")


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """Whole lines, as many as one read gives; at the end what is left."""
    begun: list[bytes] = []
    while block := file.read1(_READ):  # type: ignore[attr-defined]
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


def convert(
    files: Iterable[str],
    encoding: str,
    to: Path | None,
    stream: Callable[[Iterable[str]], Iterable[Iterable[Sentence]]],
    render: Callable[[Iterable[Sentence], Line], Iterable[str]],
    colored: bool = False,
) -> None:
    """Write what a tagger finds in each line of some files, as soon as it is found.

    Args:
        files: paths, or `STANDARD`. A last line without an end gets one where another file follows.
        encoding: of the files.
        to: the file to write; None for standard output.
        stream: gives for each line, in order, the sentences that tile it.
        render: these sentences and their line as text, piece by piece.
        colored: whether what a terminal must not obey is shown by `render` already.

    Raises:
        FenjieError: a file cannot be read or written.
    """
    shown = lines_shown if to is None and not colored and in_terminal() else str
    last: Line | None = None
    with output(to) as write:
        for path in files:
            if last is not None and not last.end:
                write("\n")
            last = None
            for bunch in bunches(path, encoding):
                found = stream(line.text for line in bunch)
                for sentences, line in zip(found, bunch, strict=True):
                    for text in _together(render(sentences, line)):
                        write(shown(text))
                last = bunch[-1]


def _together(texts: Iterable[str]) -> Iterator[str]:
    """Texts joined, one after the other, to some of at least `_WRITTEN` characters."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size >= _WRITTEN:
            yield "".join(waiting)
            waiting, size = [], 0
    yield "".join(waiting)


@contextmanager
def output(path: Path | None) -> Iterator[Callable[[str], None]]:
    """A function that writes text, in UTF-8 and at once, to a file or to standard output (None).

    A text that begins with a byte order mark gets another one before it: the first one of a file is
    none of its text.
    """
    if path is None:
        yield _marked(_write_standard)
        return
    with atomic(path) as made, open(made, "w", encoding="utf-8", newline="") as file:
        yield _marked(file.write)


def _marked(write: Callable[[str], object]) -> Callable[[str], None]:
    begun = False

    def marked(text: str) -> None:
        nonlocal begun
        write(BYTE_ORDER_MARK + text if not begun and text.startswith(BYTE_ORDER_MARK) else text)
        begun = begun or bool(text)

    return marked


def _write_standard(text: str) -> None:
    try:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError("standard output", f"cannot be written: {reason}") from error
