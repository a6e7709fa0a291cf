"""Columns, a character and its tag a line, an empty line after each sentence.

The columns are separated by a space or a tab. They are read from the right, so that the character
may itself be a space or a tab. What stands in the first column is usually one character but may be
more (a broken emoji, a number): its tag is then that of them all.

Where the first line of a file has more than two columns, as those of CoNLL's tasks (`王 NN B-PER`),
each line has as many: the first is the character, the last its tag, and others are left aside. So
is a line `-DOCSTART-` alone, which stands between the documents of such tasks. A file with its tags
in another column than the last (the tag first, a score after it) is an error: of several columns of
tags, gold and predicted, nobody knows which is meant.

The original Weibo form is the same with the position of the character in its word after it:
`科0 O`. There, every line end is a digit, and the character itself may be one: `310` is the
character `3` at position 10.

An entity begins with a B or an S: inside and last tags that no such tag precedes are read as O and
counted as `NOT_BEGUN`. The published counts of Weibo and Resume, which hold a few, are made so.
Words, which must tile their text, are mended by `fenjie.text.schemes` instead, and so is IOB1, in
which I opens a span and B only parts two spans of one label.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from fenjie.corpus.lines import Corpus, FilePath, Lines, blocks
from fenjie.corpus.tag_places import fields, no_tag
from fenjie.errors import FenjieError, FileError, shorten
from fenjie.text.schemes import OPENING, Scheme, decode, detect, encode, parse
from fenjie.text.span import WORD, Sentence, Span, holds_whitespace

NOT_BEGUN = "tags of a span without a first read as O"
"""The repair of an entity that no B or S tag begins."""


_DOCUMENT = "-DOCSTART-"


class _Column(NamedTuple):
    """The pattern of the first column; its group 1 is the character."""

    pattern: re.Pattern[str]
    expected: str


_PLAIN = _Column(re.compile(r"([ \t]|[^ \t]+)"), "two columns: a character and its tag")
_WEIBO = _Column(
    re.compile(r"(.[^0-9 \t]*)[0-9]+", re.DOTALL),
    "two columns: a character with its position in the word (科0) and its tag",
)


def read(lines: Lines, path: FilePath) -> Corpus:
    """Read a file of columns in any label scheme; the scheme is detected over the whole file."""
    return _read(lines, path, _PLAIN)


def read_weibo(lines: Lines, path: FilePath) -> Corpus:
    """Read the original Weibo form."""
    return _read(lines, path, _WEIBO)


def _read(lines: Lines, path: FilePath, column: _Column) -> Corpus:
    found = list(_tagged(lines, path, column))
    try:
        scheme = detect(set[str]().union(*(one.tags for one in found)))
    except FenjieError as error:
        numbered = (pair for one in found for pair in enumerate(one.tags, one.line))
        raise FileError(path, str(error), line=_second_scheme(numbered)) from error
    is_iob1 = scheme is Scheme.BIO and all(_is_iob1(one.tags) for one in found)
    corpus = Corpus()
    for one in found:
        spans, repairs = decode(one.tags, scheme)
        if not is_iob1 and any(repairs[rule] for rule in OPENING):
            spans, repairs = _begun(spans, repairs, one.tags)
        corpus.add(_sentence(one.units, spans), one.line)
        corpus.repairs += repairs
    return corpus


class _Tagged(NamedTuple):
    """A sentence: the number of its first line, what stands in the first column, the tags."""

    line: int
    units: Sequence[str]
    tags: Sequence[str]


def _tagged(lines: Lines, path: FilePath, column: _Column) -> Iterator[_Tagged]:
    """The sentences of a file."""
    rows: dict[str, tuple[str, str]] = {}  # most lines occur often
    width = 0
    for block in blocks(lines):
        width = width or (2 if column is _WEIBO else max(2, len(fields(block[0][1]))))
        for number, line in block:
            if line in rows:
                continue
            wide = width > 2
            row = _wide_row(line, number, path, width) if wide else _row(line, number, path, column)
            if parse(row[1])[0] == "?":
                raise no_tag(line, number, path, row[1], is_first=not rows)
            rows[line] = row
        first = block[0][0]
        units, tags = zip(*(rows[line] for _, line in block), strict=True)
        if units == (_DOCUMENT,):
            continue
        if width > 2:
            _check_not_numbers(units, first, path)
        yield _Tagged(first, units, tags)


def _begun(
    spans: tuple[Span, ...], repairs: Counter[str], tags: Sequence[str]
) -> tuple[tuple[Span, ...], Counter[str]]:
    """The words, and the entities that a B or S tag begins; the others count as `NOT_BEGUN`."""
    begun = tuple(span for span in spans if span.label == WORD or tags[span.start][0] in "BS")
    if len(begun) < len(spans):
        repairs = Counter({rule: n for rule, n in repairs.items() if rule not in OPENING})
        repairs[NOT_BEGUN] = len(spans) - len(begun)
    return begun, repairs


def _second_scheme(tagged: Lines) -> int:
    """The first line with an M after one with an I, or with an I after one with an M."""
    inner = [(number, tag[0]) for number, tag in tagged if tag[0] in "IM"]
    return next(number for number, letter in inner if letter != inner[0][1])


def _is_iob1(tags: Sequence[str]) -> bool:
    """Whether B stands only where a span of the same label ends just before it."""
    return all(
        tag[0] != "B" or (before[0] in "BI" and before[1:] == tag[1:])
        for before, tag in pairwise(["O", *tags])
    )


def _row(line: str, number: int, path: FilePath, column: _Column) -> tuple[str, str]:
    """The character (or more) and the tag of a line."""
    body = line.rstrip(" \t")
    cut = max(body.rfind(" "), body.rfind("\t"), 0)
    unit, tag = body[:cut], body[cut + 1 :]
    match = column.pattern.fullmatch(unit.rstrip(" \t") or unit[:1])
    if match is None:
        message = "not two columns" if column is _PLAIN else "not a line of the Weibo form"
        raise FileError(path, message, line=number, found=line, expected=column.expected)
    return match[1], tag


def _wide_row(line: str, number: int, path: FilePath, width: int) -> tuple[str, str]:
    """The first and the last of more than two columns."""
    split = fields(line)
    if len(split) != width:
        message, expected = f"not {width} columns, as the first line", "as many in each line"
        raise FileError(path, message, line=number, found=line, expected=expected)
    return split[0], split[-1]


def _check_not_numbers(units: Sequence[str], line: int, path: FilePath) -> None:
    """Refuse a sentence whose first column counts its lines: no text could be known of it."""
    if len(units) > 1 and units[0] in ("0", "1"):
        first = int(units[0])
        if list(units) == [str(number) for number in range(first, first + len(units))]:
            message = "the first column counts the lines"
            raise FileError(path, message, line=line, expected="the character in it")


def _sentence(units: Sequence[str], spans: tuple[Span, ...]) -> Sentence:
    """The sentence that units spell; `spans` count in units."""
    text = "".join(units)
    if len(text) > len(units):
        edges = list(accumulate(map(len, units), initial=0))
        spans = tuple(Span(edges[span.start], edges[span.end], span.label) for span in spans)
    return Sentence(text, spans)


def render(sentence: Sentence, scheme: str = Scheme.BMES) -> str:
    """The lines of a sentence, a character a line, and the empty line after it."""
    return _lines(sentence.text, sentence, scheme)


def render_weibo(sentence: Sentence) -> str:
    """The lines of a sentence in the original Weibo form (BIO).

    The position is counted within each span and is 0 outside.
    """
    positions = [0] * len(sentence.text)
    for span in sentence.spans:
        positions[span.start : span.end] = range(span.end - span.start)
    units = [f"{character}{at}" for character, at in zip(sentence.text, positions, strict=True)]
    return _lines(units, sentence, Scheme.BIO)


def _lines(units: str | list[str], sentence: Sentence, scheme: str) -> str:
    if not units or "\n" in sentence.text:
        raise FenjieError(
            f"found {shorten(sentence.text)}; expected a text in one line which is not empty"
        )
    tags = encode(sentence.spans, len(units), scheme)
    for label in {span.label for span in sentence.spans}:
        if holds_whitespace(label):
            raise FenjieError(f"label {shorten(label)} cannot stand in a column; found whitespace")
    return "".join([f"{unit} {tag}\n" for unit, tag in zip(units, tags, strict=True)]) + "\n"
