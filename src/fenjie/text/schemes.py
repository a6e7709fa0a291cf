"""Label schemes, at the edge of the library: spans to one tag a character, and back.

| scheme | first | inside | last | single | outside |
|---|---|---|---|---|---|
| BIO | B | I | I | B | O |
| BIOES | B | I | E | S | O |
| BMES | B | M | E | S | O |

A tag is a prefix and, after a hyphen, the label (`B-PER`). Words (label `fenjie.text.span.WORD`)
have bare prefixes: `B M E S`.

Ill-formed sequences occur in real files and in the output of models. `decode` repairs them by
these rules and counts each use under the name in capitals:

* `NO_BEGIN`: an inside tag (I, M) with no open span opens one.
* `NEW_LABEL`: an inside or last tag with another label than the open span closes that span before
  it and opens one of its own.
* `NO_BEGIN_END`: a last tag (E) with no open span is a span of one character.
* `NO_END`: in BIOES and BMES, a span that is open at a B, S or O, or at the end of the sentence,
  ends at its last B, I or M.
* `UNKNOWN`: anything else than a tag of the scheme is read as O.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum

from fenjie.errors import FenjieError, shorten
from fenjie.text.span import WORD, Span

NO_BEGIN = "inside tag opened a span"
NEW_LABEL = "label changed inside a span"
NO_BEGIN_END = "last tag without a first"
NO_END = "span without a last tag"
UNKNOWN = "unknown tag read as O"

OPENING = (NO_BEGIN, NEW_LABEL, NO_BEGIN_END)
"""The repairs that make a span which has no B or S tag of its own."""


class Scheme(StrEnum):
    """The way in which spans are written as tags."""

    BIO = "BIO"
    BIOES = "BIOES"
    BMES = "BMES"

    @classmethod
    def named(cls, name: str) -> Scheme:
        """The scheme of this name, in capitals or not.

        Raises:
            FenjieError: there is none.
        """
        try:
            return cls(name.upper())
        except ValueError:
            expected = ", ".join(cls)
            raise FenjieError(f"unknown label scheme {name!r}; expected {expected}") from None


def encode(spans: Iterable[Span], length: int, scheme: str = Scheme.BMES) -> list[str]:
    """The tags of a text of `length` characters.

    Raises:
        FenjieError: spans overlap or lie outside of the text, a label is empty, or the scheme is
            unknown.
    """
    begin, inside, last, single = tuple(_LETTERS[Scheme.named(scheme)])
    tags = ["O"] * length
    last_end = 0
    for span in sorted(spans):
        if not last_end <= span.start < span.end <= length:
            raise FenjieError(
                f"span {span.start}–{span.end} is empty, overlaps another or lies outside of a "
                f"text of {length} characters; tags cannot say that"
            )
        if not span.label:
            raise FenjieError(f"span {span.start}–{span.end} has an empty label")
        last_end = span.end
        label = "" if span.label == WORD else f"-{span.label}"
        size = span.end - span.start
        if size == 1:
            tags[span.start] = single + label
        else:
            middle = [inside + label] * (size - 2)
            tags[span.start : span.end] = [begin + label, *middle, last + label]
    return tags


_LETTERS = {Scheme.BIO: "BIIB", Scheme.BIOES: "BIES", Scheme.BMES: "BMES"}


def decode(tags: Sequence[str], scheme: str = Scheme.BMES) -> tuple[tuple[Span, ...], Counter[str]]:
    """The spans that tags stand for, and how often each repair rule was used.

    Any sequence of strings is accepted; the spans are in order and do not overlap.

    Raises:
        FenjieError: the scheme is unknown.
    """
    reader = _Reader(Scheme.named(scheme))
    for position, tag in enumerate(tags):
        if tag != "O" or reader.is_open:
            reader.read(position, tag)
    reader.close(len(tags))
    return tuple(reader.spans), reader.repairs


class _Reader:
    """Reads tags one after another; at most one span is open."""

    def __init__(self, scheme: Scheme) -> None:
        self.spans: list[Span] = []
        self.repairs: Counter[str] = Counter()
        self._letters = frozenset(scheme.value)
        self._ends_marked = scheme is not Scheme.BIO
        self._start = -1
        self._label: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is a span without an end."""
        return self._label is not None

    def read(self, position: int, tag: str) -> None:
        if tag == "O":
            self.close(position)
            return
        prefix, label = parse(tag)
        if prefix not in self._letters:
            self.repairs[UNKNOWN] += 1
            self.close(position)
        elif prefix in "BS":
            self.close(position)
            self._open(position, label)
        elif label != self._label:
            self._repair(position, prefix, label)
        if prefix in "ES" and self._label is not None:
            self._finish(position + 1)

    def close(self, position: int) -> None:
        """End an open span before `position`, where no last tag has ended it."""
        if self._label is not None:
            if self._ends_marked:
                self.repairs[NO_END] += 1
            self._finish(position)

    def _repair(self, position: int, prefix: str, label: str) -> None:
        if self._label is not None:
            self.repairs[NEW_LABEL] += 1
            self._finish(position)
        else:
            self.repairs[NO_BEGIN_END if prefix == "E" else NO_BEGIN] += 1
        self._open(position, label)

    def _open(self, position: int, label: str) -> None:
        self._start, self._label = position, label

    def _finish(self, end: int) -> None:
        assert self._label is not None
        self.spans.append(Span(self._start, end, self._label))
        self._label = None


def parse(tag: str) -> tuple[str, str]:
    """A tag's prefix and label; the prefix is `?` where the string is no tag of any scheme."""
    prefix, hyphen, label = tag.partition("-")
    if prefix == "O" and not hyphen:
        return "O", ""
    if prefix not in _PREFIXES or (hyphen and not label):
        return "?", ""
    return prefix, label or WORD


_PREFIXES = frozenset("BIMES")
TAGS = "O or one of B I M E S, with -LABEL or alone"
"""The form of a tag, for messages."""


def detect(tags: Iterable[str]) -> Scheme:
    """The scheme that tags are written in, best over a whole file.

    M says BMES; I with E or S says BIOES, without them BIO. Where there is neither I nor M, E or
    S say BMES (which then is the same as BIOES), and B and O alone say BIO.

    Raises:
        FenjieError: a string is no tag, or I and M both occur.
    """
    letters = set()
    for tag in set(tags):
        prefix, _ = parse(tag)
        if prefix == "?":
            raise FenjieError(f"not a tag; found {shorten(tag)}; expected {TAGS}")
        letters.add(prefix)
    if {"I", "M"} <= letters:
        raise FenjieError("I- and M- tags both occur; expected one of BIO, BIOES and BMES")
    if "I" in letters:
        return Scheme.BIOES if letters & {"E", "S"} else Scheme.BIO
    return Scheme.BMES if letters & {"M", "E", "S"} else Scheme.BIO
