r"""Standoff files of brat: a text (`.txt`) and beside it what stands where in it (`.ann`).

```
T1	LOC 2 4	北京
```

A line of the text is a sentence; empty lines are none. Offsets count characters of the whole file,
line ends and a byte order mark included: `\r\n` is two. Only text-bound annotations (`T`) are
read; relations, events, attributes and notes are left aside. A stretch in several pieces
(`2 4;6 8`) is an error: a span has one start and one end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path

from fenjie.corpus.lines import Corpus, FilePath, check_apart, overlap, writing
from fenjie.errors import FenjieError, FileError, shorten
from fenjie.files import BYTE_ORDER_MARK, atomic, checked_encoding, decoded, open_bytes, read_lines
from fenjie.text.span import Sentence, Span, holds_whitespace

NAME = "brat"
TEXT, ANNOTATIONS = ".txt", ".ann"

_BOUND = re.compile(r"T[^\t]*\t(\S+) ([0-9]+) ([0-9]+)((?:;[0-9]+ [0-9]+)*)(?:\t(.*))?")
_OTHER = re.compile(r"[A-SU-Za-z#*][^\t]*\t")
_LINE = re.compile(r"[^\r\n]+")


def pair(path: FilePath) -> tuple[Path, Path]:
    """The text and the annotations, by the path of either, or of both without the ending."""
    path = Path(path)
    stem = path.with_suffix("") if path.suffix in (TEXT, ANNOTATIONS) else path
    return Path(f"{stem}{TEXT}"), Path(f"{stem}{ANNOTATIONS}")


def read(path: FilePath, encoding: str = "utf-8") -> Corpus:
    """Read a text and its annotations: a sentence for each line of the text that is not empty.

    Raises:
        FileError: a file cannot be read; an annotation is in several pieces, is outside of a line,
            overlaps another, or its text is not what stands at its offsets.
    """
    text_path, annotation_path = pair(path)
    with open_bytes(text_path) as file:
        text = decoded(file.read(), checked_encoding(encoding), text_path)
    places = list(_LINE.finditer(text, text.startswith(BYTE_ORDER_MARK)))
    starts = [place.start() for place in places]
    spans: list[list[tuple[Span, int]]] = [[] for _ in places]
    for number, line in read_lines(annotation_path, encoding):
        if not line.strip() or _OTHER.match(line):
            continue
        span = _span(line, number, text, annotation_path)
        index = bisect_right(starts, span.start) - 1
        if index < 0 or places[index].end() < span.end:
            message, expected = "a span over the end of a line", "a span inside of a line"
            raise FileError(
                annotation_path, message, line=number, found=span.of(text), expected=expected
            )
        first = starts[index]
        spans[index].append((Span(span.start - first, span.end - first, span.label), number))
    corpus = Corpus()
    row, counted = 1, 0
    for place, found in zip(places, spans, strict=True):
        found.sort()
        for (before, _), (after, number) in pairwise(found):
            if after.start < before.end:
                both = [f"{span.of(place[0])} {span.label}" for span in (before, after)]
                raise overlap(annotation_path, number, both)
        row += len(re.findall("\r\n|\r|\n", text[counted : place.start()]))
        counted = place.start()
        corpus.add(Sentence(place[0], tuple(span for span, _ in found)), row)
    return corpus


def _span(line: str, number: int, text: str, path: Path) -> Span:
    """The span of the whole text that a line names."""
    fail = partial(FileError, path, line=number)
    match = _BOUND.fullmatch(line)
    if match is None:
        expected = "T1, a tab, a label, start and end, a tab and the text there"
        raise fail("not a line of brat", found=line, expected=expected)
    label, first, last, more, said = match.groups()
    if more:
        found = f"{first} {last}{more}"
        raise fail("a span in several pieces", found=found, expected="one start and one end")
    start, end = (int(offset) if len(offset) < 16 else len(text) + 1 for offset in (first, last))
    if not start < end <= len(text):
        message = "a span that is empty or outside of the text"
        expected = f"0 <= start < end <= {len(text)}"
        raise fail(message, found=f"{first} {last}", expected=expected)
    span = Span(start, end, label)
    if said is not None and said != span.of(text):
        message = f"the text from {start} to {end} is not what the line says"
        raise fail(message, found=span.of(text), expected=shorten(said))
    return span


def write(sentences: Iterable[Sentence], path: FilePath, encoding: str = "utf-8") -> None:
    """Write a text, a sentence a line, and its annotations; see `fenjie.corpus.write`."""
    encoding = checked_encoding(encoding)
    text_path, annotation_path = pair(path)
    with (
        atomic(text_path) as made_text,
        atomic(annotation_path) as made_notes,
        open(made_text, "wb") as text,
        open(made_notes, "wb") as notes,
    ):
        offset = count = 0
        for number, sentence in enumerate(sentences, 1):
            with writing(number, text_path, NAME, encoding):
                if number == 1 and sentence.text.startswith(BYTE_ORDER_MARK):
                    text.write(BYTE_ORDER_MARK.encode(encoding))
                    offset = 1
                _check(sentence)
                text.write(f"{sentence.text}\n".encode(encoding))
                rows = lines_of(sentence, offset, count)
                notes.write("".join(rows).encode(encoding))
            offset += len(sentence.text) + 1
            count += len(rows)


def _check(sentence: Sentence) -> None:
    if not _LINE.fullmatch(sentence.text):
        found = shorten(sentence.text)
        raise FenjieError(f"found {found}; expected a text in one line which is not empty")
    check_apart(sentence)
    for span in sentence.spans:
        if holds_whitespace(span.label):
            raise FenjieError(f"label {shorten(span.label)} cannot stand in a line of brat")


def lines_of(sentence: Sentence, offset: int, count: int) -> list[str]:
    """The annotations of a sentence whose text begins at an offset, after `count` others."""
    return [
        f"T{number}\t{span.label} {offset + span.start} {offset + span.end}"
        f"\t{span.of(sentence.text)}\n"
        for number, span in enumerate(sentence.spans, count + 1)
    ]
