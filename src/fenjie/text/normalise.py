"""Normalisation that never loses the way back: every result is aligned with the text as given.

A normalised text is a sequence of *units*: stretches that stand for stretches of the original.
Nearly always a unit is one character on both sides and the alignment costs nothing; where a
character becomes several (㎏ → kg) or several become one (e and an accent → é), the edges of the
units are kept in two arrays of equal length.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError
from fenjie.text.span import Sentence, Span

Edges = NDArray[np.int64]
Alignment = tuple[Edges, Edges]
"""Edges of the units in the normalised text and, of the same length, in the original text."""

Unit = tuple[int, int, int]
"""A unit that is not one character to one: start and end before, number of characters after."""


@dataclass(frozen=True, slots=True, eq=False)
class Normalised:
    """A normalised text and its alignment with the original.

    Attributes:
        text: the text after normalisation.
        origin: the text as it was given.
        alignment: the edges of the units, or None where all is one character to one.
    """

    text: str
    origin: str
    alignment: Alignment | None = None

    def spans_from_origin(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Spans of the original as spans of the normalised text.

        A boundary inside of a unit moves to the unit's end and a span left empty is dropped, so
        that disjoint spans stay disjoint and spans that tile one text tile the other.
        """
        spans = tuple(spans)
        if self.alignment is None:
            return spans
        after, before = self.alignment
        bounds = np.array([(span.start, span.end) for span in spans], np.int64).reshape(-1, 2)
        moved = after[np.searchsorted(before, bounds, "left")].tolist()
        return tuple(
            Span(start, end, span.label, span.confidence)
            for span, (start, end) in zip(spans, moved, strict=True)
            if start < end
        )


@dataclass(frozen=True)
class Normaliser:
    """Makes texts alike before a model reads them. Calling it gives a `Normalised`.

    The steps run in this order; an alignment is kept through all of them.

    Attributes:
        width: full-width ASCII (U+FF01–FF5E) to half width, the ideographic space to a space.
        compatibility: Unicode NFKC (㎏ → kg, ① → 1, ﬁ → fi, e and accent → é).
        simplify: traditional characters to simplified ones, by OpenCC (t2s), which the extra
            `traditional` installs.
        digits: every decimal digit becomes `0`.
        latin: every Latin letter becomes `X`.
    """

    width: bool = True
    compatibility: bool = False
    digits: bool = False
    latin: bool = False
    simplify: bool = False

    def __call__(self, text: str) -> Normalised:
        """Normalise a text of any length and any characters, lone surrogates included.

        Raises:
            FenjieError: `simplify` is wanted and OpenCC is not installed.
        """
        if not (self.compatibility or self.simplify):
            return Normalised(text.translate(_table(self.width, self.digits, self.latin)), text)
        result, alignment = text, None
        for step in self._steps():
            length = len(result)
            result, units = step(result)
            if units:
                alignment = _join(_edges(length, units), alignment)
        return Normalised(result, text, alignment)

    def _steps(self) -> Iterable[Callable[[str], tuple[str, list[Unit]]]]:
        if self.width:
            yield lambda text: (text.translate(_table(True, False, False)), [])
        if self.compatibility:
            yield _compose
        if self.simplify:
            yield lambda text: (_simplify(text), [])
        if self.digits or self.latin:
            yield lambda text: (text.translate(_table(False, self.digits, self.latin)), [])


def apply(normaliser: Normaliser, sentence: Sentence) -> Sentence:
    """The sentence with its text normalised and its spans moved along.

    Words keep tiling the text; see `Normalised.spans_from_origin` for the rule.
    """
    normalised = normaliser(sentence.text)
    if normalised.alignment is None and normalised.text == sentence.text:
        return sentence
    return Sentence(normalised.text, normalised.spans_from_origin(sentence.spans))


def _edges(length: int, units: list[Unit]) -> Alignment:
    """The edges after and before a step that turned `units` of a text into others.

    Args:
        length: number of characters before the step.
        units: the units that are not one character to one, in order.
    """
    inside = np.zeros(length + 1, bool)
    growth = np.zeros(length + 1, np.int64)
    for start, end, size in units:
        inside[start + 1 : end] = True
        growth[end] += size - (end - start)
    before = np.flatnonzero(~inside)
    return before + np.cumsum(growth)[before], before


def _join(later: Alignment, earlier: Alignment | None) -> Alignment:
    """One alignment out of two steps: its edges are those that both steps leave standing."""
    if earlier is None:
        return later
    _, mine, theirs = np.intersect1d(later[1], earlier[0], assume_unique=True, return_indices=True)
    return later[0][mine], earlier[1][theirs]


@cache
def _table(width: bool, digits: bool, latin: bool) -> dict[int, str]:
    """The table for `str.translate` that folds width first and then classes, in one pass."""
    table: dict[int, str] = {}
    if width:
        table |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {0x3000: " "}
    if digits:
        table |= dict.fromkeys(filter(_is_digit, range(sys.maxunicode + 1)), "0")
    if latin:
        table |= dict.fromkeys(filter(_is_latin, range(0x10000)), "X")
    return table


def _is_digit(code: int) -> bool:
    return chr(code).isdecimal()


def _is_latin(code: int) -> bool:
    letter = chr(code)
    return letter.isalpha() and "LATIN " in unicodedata.name(letter, "")[:17]


def _compose(text: str) -> tuple[str, list[Unit]]:
    """NFKC, unit by unit."""
    if unicodedata.is_normalized("NFKC", text):
        return text, []
    parts: list[str] = []
    units: list[Unit] = []
    last = 0
    for match in _composable().finditer(text):
        unit = match[0]
        composed = _nfkc(unit)
        if composed != unit:
            parts += text[last : match.start()], composed
            last = match.end()
            if not len(unit) == len(composed) == 1:
                units.append((*match.span(), len(composed)))
    parts.append(text[last:])
    return "".join(parts), units


MANY = 64
"""More marks on a character are put in order here: `unicodedata` would take quadratic time."""


def _nfkc(unit: str) -> str:
    """NFKC of a unit, in linear time."""
    if len(unit) <= MANY:
        return unicodedata.normalize("NFKC", unit)
    decomposed = "".join(unicodedata.normalize("NFKD", character) for character in unit)
    ordered = (
        "".join(sorted(marks, key=unicodedata.combining) if combine else marks)
        for combine, marks in groupby(decomposed, lambda mark: unicodedata.combining(mark) > 0)
    )
    return unicodedata.normalize("NFC", "".join(ordered))


@cache
def _composable() -> re.Pattern[str]:
    """The units that NFKC may change: a character that it changes, or one with its followers.

    A follower is a character that can combine with, or be ordered among, those before it:
    combining marks, the voicing marks of half-width kana, vowels and finals of Hangul. NFKC of a
    text is NFKC of its units, each on its own.
    """
    seconds, changed, marks = set[str](), list[int](), list[tuple[int, str]]()
    for code in range(0x80, sys.maxunicode + 1):
        character = chr(code)
        decomposition = unicodedata.decomposition(character)
        if decomposition and "<" not in decomposition and " " in decomposition:
            seconds.add(chr(int(decomposition.split()[1], 16)))
        if not decomposition and not unicodedata.combining(character):
            continue
        if unicodedata.normalize("NFKC", character) != character:
            changed.append(code)
        marks.append((code, unicodedata.normalize("NFKD", character)[0]))
    seconds.update(map(chr, chain(range(0x1161, 0x1176), range(0x11A8, 0x11C3))))
    followers = {code for code, first in marks if unicodedata.combining(first) or first in seconds}
    followers.update(map(ord, seconds))
    follower = _character_class(sorted(followers))
    return re.compile(f"(?s:.){follower}+|{_character_class(changed)}")


def _character_class(codes: list[int]) -> str:
    """A regular expression for one character of these, as few ranges as there can be."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges) + "]"


_SURROGATE = re.compile("[\ud800-\udfff]")


def _simplify(text: str) -> str:
    """Traditional to simplified, one character to one.

    OpenCC converts phrase by phrase, cannot read a lone surrogate, and does not tell which
    characters a phrase of another length came from. A line where that would matter (none is known
    in t2s) is converted character by character.
    """
    convert = _opencc().convert
    simple = _same_length(convert, text)
    if simple is not None:
        return simple
    return "".join(
        _same_length(convert, line) or "".join(_same_length(convert, one) or one for one in line)
        for line in re.findall("[^\n\ud800-\udfff]+|[\n\ud800-\udfff]+", text)
    )


def _same_length(convert: Callable[[str], str], text: str) -> str | None:
    if _SURROGATE.search(text):
        return None
    simple = convert(text)
    return simple if len(simple) == len(text) else None


@cache
def _opencc() -> Any:
    """The converter; `opencc` is imported only where it is wanted.

    Raises:
        FenjieError: it is not installed.
    """
    try:
        from opencc import OpenCC
    except ImportError as error:
        raise FenjieError(
            "traditional to simplified characters need OpenCC, which is not installed; "
            'pip install "fenjie[traditional]"'
        ) from error
    return OpenCC("t2s")
