"""Readers of word lists, frequency dictionaries and word2vec files.

| form | what a line holds |
|---|---|
| `list` | a word |
| `dictionary` | a word, after it its frequency and part of speech, as in those of jieba |
| `vectors` | a word and the numbers of its vector; first, perhaps, the numbers of both |
| `binary` | the binary form of word2vec |

All are UTF-8, plain, gzip or xz; a byte order mark is dropped. Lines end at LF or CRLF; in a list
or a dictionary without any LF, or with none but at its end, at CR. Whitespace parts the columns, so
no word can hold any (an ideographic space or a no-break space in a file of vectors is a word like
others). Lines that hold no word are skipped and reported, one by one; only a file of which nothing
is left is an error.
"""

from __future__ import annotations

import codecs
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count, islice
from os import PathLike
from typing import BinaryIO, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, FenjieWarning, FileError, shorten
from fenjie.files import check_rereadable, open_bytes, read_lines
from fenjie.lexicon.keys import LONGEST

Form = Literal["list", "dictionary", "vectors", "binary"]
FilePath = str | PathLike[str]

BATCH = 4096
"""Number of vectors that are read at once."""

_SAMPLE = 1 << 16
_LONGEST_WORD = 4096
_HEADER = re.compile(rb"(\d{1,18})[ \t]+(\d{1,9})\s*")
_COLUMN = re.compile(r"\d+(?:\.\d+)?|[A-Za-z]+[a-z0-9]*")
"""A frequency or a part of speech."""
_BESIDE = re.compile(rb"\d+|[a-z]{1,4}\d?")
"""What tells a dictionary: a frequency, or a part of speech as jieba writes it, `n` or `nrfg`."""


class Skipped(NamedTuple):
    """A line that was skipped.

    Attributes:
        path: the file.
        line: the number of the line, from 1; in a binary file, that of the word.
        reason: why it is skipped.
        found: the text that stands there, shortened.
    """

    path: FilePath
    line: int
    reason: str
    found: str

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.path}:{self.line}: skipped: {self.reason}; found {self.found}"


Report = Callable[[Skipped], object]


class VectorBatch(NamedTuple):
    """Some words and their vectors.

    Attributes:
        words: the words.
        vectors: `[words, dim]`, float32.
    """

    words: list[str]
    vectors: NDArray[np.float32]


def read_words(
    path: FilePath, form: Form | None = None, report: Report | None = None
) -> Iterator[str]:
    """The words of a file, one by one; a repeated word is given again.

    Args:
        path: the file.
        form: the form of the file; where None, this is guessed from the beginning of the file.
        report: called with each line that is skipped; where None, one warning counts them.

    Raises:
        FileError: the file cannot be read, is damaged, or is not empty and holds no word.
        FenjieError: there is no such form.
    """
    form = guess(path) if form is None else _known(form)
    skips = _Skips(path, report)
    if form in ("vectors", "binary"):
        for number, word, _ in _entries(layout(path, form), skips):
            if skips.accepted(number, word):
                yield word
    else:
        for number, line in _text_lines(path):
            columns = line.split()
            if not columns:
                continue
            if form == "list" and len(columns) > 1:
                skips.add(number, "a word cannot hold whitespace", line)
            elif not all(map(_COLUMN.fullmatch, columns[1:])):
                skips.add(number, "text after the word is no frequency or part of speech", line)
            elif skips.accepted(number, columns[0]):
                yield columns[0]
    skips.finish()


def read_vectors(
    path: FilePath, form: Form | None = None, report: Report | None = None
) -> Iterator[VectorBatch]:
    """The words and the vectors of a word2vec file; of a repeated word, the first vector.

    There is at least one batch, which may be empty: it tells the size of the vectors.

    Args:
        path: the file.
        form: `vectors` or `binary`; where None, this is guessed from the beginning of the file.
        report: called with each line that is skipped; where None, one warning counts them.

    Raises:
        FileError: the file cannot be read, is damaged, or holds no vectors.
        FenjieError: there is no such form.
    """
    form = guess(path, vectors=True) if form is None else _known(form)
    if form not in ("vectors", "binary"):
        raise FileError(path, f"holds no vectors, but a {form} of words")
    skips, seen, known = _Skips(path, report), set[str](), layout(path, form)
    yield VectorBatch([], np.empty((0, known.dim), dtype=np.float32))
    entries = _entries(known, skips)
    while batch := list(islice(entries, BATCH)):
        words: list[str] = []
        vectors: list[NDArray[np.float32]] = []
        for number, word, raw in batch:
            if word in seen:
                skips.add(number, "a repeated word, of which the first stands", word)
            elif (vector := _numbers(raw)) is None:
                skips.add(number, "what should be a finite number is none", word)
            elif skips.accepted(number, word):
                seen.add(word)
                words.append(word)
                vectors.append(vector)
        yield VectorBatch(words, np.array(vectors, dtype=np.float32).reshape(-1, known.dim))
    skips.finish()


class Layout(NamedTuple):
    """The form in which the vectors of a file are written.

    Attributes:
        path: the file.
        form: `vectors` or `binary`.
        dim: numbers a vector.
        promised: the number of words in the header; None where there is no header.
    """

    path: FilePath
    form: Form
    dim: int
    promised: int | None


def _known(form: Form) -> Form:
    if form not in get_args(Form):
        expected = ", ".join(get_args(Form))
        raise FenjieError(f"unknown form of words {shorten(form)}; expected one of {expected}")
    return form


def guess(path: FilePath, vectors: bool = False) -> Form:
    """Guess the form of a file of words by its beginning.

    Where `vectors` are wanted, they need to be in one line, else in most: others may be damaged.

    Raises:
        FileError: the file cannot be read.
    """
    head, lines = _beginning(path)
    header = _HEADER.fullmatch(lines[0]) if lines else None
    if header:
        dim, rest = int(header[2]), head.partition(b"\n")[2]
        if (len(lines) == 1 and int(header[1]) == 0) or dim in map(_numeric, lines[1:]):
            return "vectors"
        if b"\0" in rest or not _is_text(rest):
            return "binary"
    found = sum(_numeric(line) > 2 for line in lines)
    if 2 * found > len(lines) or (vectors and found):
        return "vectors"
    several = [columns for line in lines if len(columns := line.split()) > 1]
    frequencies = sum(any(map(bytes.isdigit, columns[1:])) for columns in several)
    known = 2 * frequencies > len(lines) or 2 * sum(map(_entry, several)) > len(several)
    return "dictionary" if known else "list"


def _entry(columns: list[bytes]) -> bool:
    """Whether columns look like a Chinese word with its frequency or part of speech, no phrase."""
    word, *rest = columns
    return not word.isascii() and all(map(_BESIDE.fullmatch, rest))


def layout(path: FilePath, form: Form) -> Layout:
    """The form in which the vectors of a file are written.

    Raises:
        FileError: the file cannot be read, holds no vectors, or its header is wrong.
    """
    _, lines = _beginning(path)
    header = _HEADER.fullmatch(lines[0]) if lines else None
    count, dim = (int(header[1]), int(header[2])) if header else (None, 0)
    if form == "binary":
        if not dim:
            expected = "the number of words and of numbers"
            raise FileError(path, "no header", line=1, found=b"".join(lines[:1]), expected=expected)
        return Layout(path, form, dim, count)
    sizes = Counter(filter(None, map(_numeric, lines[1:] if header else lines)))
    most = sizes.most_common(1)[0][0] if sizes else 0
    if header and not sizes and count:
        raise FileError(path, "holds no vectors", expected=f"{count} of {dim} numbers")
    if header and sizes and dim not in sizes:
        expected = f"{most} numbers a word, as in most lines"
        raise FileError(path, "the header is wrong", line=1, found=lines[0], expected=expected)
    if not header and not most:
        raise FileError(path, "holds no vectors")
    return Layout(path, form, dim or most, count)


def _entries(known: Layout, skips: _Skips) -> Iterator[tuple[int, str, list[bytes] | bytes]]:
    """The number of each line, its word, and the numbers of the vector as they are written."""
    with open_bytes(known.path) as file:
        lines = _binary_lines(file, known) if known.form == "binary" else _lines(file, known, skips)
        entries = 0
        for number, raw_word, raw in lines:
            entries += 1
            try:
                word = raw_word.decode()
            except UnicodeDecodeError:
                skips.add(number, "a word that is not utf-8", raw_word)
                continue
            if word:
                yield number, word, raw
            else:
                skips.add(number, "no word", raw_word)
    if known.promised not in (None, entries + skips.malformed):
        found = f"{entries + skips.malformed:,}"
        skips.add(1, f"the header promises {known.promised:,} words, but that is not so", found)


def _lines(
    file: BinaryIO, known: Layout, skips: _Skips
) -> Iterator[tuple[int, bytes, list[bytes] | bytes]]:
    """The entries of the text form."""
    for number, line in enumerate(file, 1):
        if number == 1 and known.promised is not None:
            continue
        fields = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).split()
        if len(fields) == known.dim + 1:
            yield number, fields[0], fields[1:]
        elif fields:
            skips.malformed += 1
            expected = f"{known.dim + 1} columns, a word and numbers; there are {len(fields)}"
            skips.add(number, f"expected {expected}", line[:_LONGEST_WORD].strip())


def _binary_lines(
    file: BinaryIO, known: Layout
) -> Iterator[tuple[int, bytes, list[bytes] | bytes]]:
    """The entries of the binary form: a word, a space, float32 numbers, perhaps a line feed."""
    file.readline()
    size, buffer, first = 4 * known.dim, b"", 0
    for number in count(1):
        while (space := buffer.find(b" ", first)) < 0 or len(buffer) < space + 1 + size:
            hopeless = space < 0 and len(buffer) - first > _LONGEST_WORD
            # At most twice what is there: the size may be that of a wrong header
            more = b"" if hopeless else file.read(_SAMPLE + min(size, len(buffer)))
            if not more:
                break
            buffer, first = buffer[first:] + more, 0
        if space < 0 and not buffer[first:].strip(b"\n"):
            return
        word, raw = buffer[first:space].lstrip(b"\n"), buffer[space + 1 : space + 1 + size]
        if space < 0 or len(raw) < size or _CONTROL.search(word):
            message = "damaged, or its header is wrong"
            raise FileError(known.path, message, line=number, found=word[:_LONGEST_WORD])
        yield number, word, raw
        first = space + 1 + size


_CONTROL = re.compile(rb"[\x00-\x1f]")


def _numbers(raw: list[bytes] | bytes) -> NDArray[np.float32] | None:
    """A vector, None where a number is none or is not finite."""
    try:
        with np.errstate(over="ignore"):
            vector = (
                np.frombuffer(raw, dtype="<f4")
                if isinstance(raw, bytes)
                else np.array(list(map(float, raw))).astype(np.float32)
            )
    except ValueError:
        return None
    return vector if np.isfinite(vector).all() else None


def _text_lines(path: FilePath) -> Iterator[tuple[int, str]]:
    try:
        yield from read_lines(path)
    except FileError as error:
        if error.line is None:
            raise
        expected = "words in utf-8"
        raise FileError(path, "not utf-8", line=error.line, expected=expected) from error


def _beginning(path: FilePath) -> tuple[bytes, list[bytes]]:
    """The beginning of a file, and the whole lines in it that are not empty."""
    check_rereadable(path)
    with open_bytes(path) as file:
        head = file.read(_SAMPLE).removeprefix(codecs.BOM_UTF8)
        if head and not file.read(1):
            head += b"\n"
    lines = re.split(rb"\r?\n", head) if b"\n" in head.rstrip() else head.split(b"\r")
    whole = lines[:-1] if len(lines) > 1 else lines
    return head, [line for line in whole if line.strip()]


def _numeric(line: bytes) -> int:
    """The number of numbers after the first column, if there is nothing else."""
    columns = line.split()[1:]
    return len(columns) if all(map(_NUMBER.fullmatch, columns)) else 0


_NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def _is_text(content: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return False
    return True


class _Skips:
    """Reports the lines of a file that are skipped."""

    def __init__(self, path: FilePath, report: Report | None) -> None:
        self.path, self.report = path, report
        self.kept = self.skipped = self.malformed = 0
        self.first: Skipped | None = None

    def add(self, line: int, reason: str, found: str | bytes) -> None:
        """Report a line."""
        if isinstance(found, bytes):
            with suppress(UnicodeDecodeError):
                found = found.decode()
        skipped = Skipped(self.path, line, reason, shorten(found))
        self.first = self.first or skipped
        self.skipped += 1
        if self.report is not None:
            self.report(skipped)

    def accepted(self, line: int, word: str) -> bool:
        """Whether a word can be kept; if not, its line is reported."""
        if len(word) > LONGEST:
            self.add(line, f"a word of more than {LONGEST} characters", word)
            return False
        self.kept += 1
        return True

    def finish(self) -> None:
        """See to it that something was kept, and that someone hears of what was not."""
        if self.first is None:
            return
        if not self.kept:
            _, line, reason, found = self.first
            raise FileError(self.path, f"no line holds a word; here, {reason}: {found}", line=line)
        if self.report is None:
            message = f"{self.path}: lines skipped: {self.skipped:,}; the first: {self.first}"
            warnings.warn(message, FenjieWarning, stacklevel=_outside())


def _outside() -> int:
    """The level of the stack, seen from the caller, that is no code of fenjie's."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("fenjie."):
        frame, level = frame.f_back, level + 1
    return level
