"""Stretches that no segmentation may split: numbers, Latin words, addresses, grapheme clusters.

The rules follow the PKU convention wherever its corpus decides. Of the places in the PKU training
text where a rule forbids a boundary, these shares have none (a test holds them):
digits 98.7 %, point inside a number 99.9 % (the rest are numbers of a table run together),
percent sign, fraction bar, sign and hyphen 100 %, letters 98.3 %, letter before digit 85 % (again
tables). Where the corpus cuts, the model decides: ranges (１—２), clock times, digits before a
unit or a letter. A hyphen between two digits is a word of its own (3-4, 010-62751234), for a model
that has seen few takes it for the sign of the number after it; a date such as 2024-01-02 stays
whole, as 2024/01/02 does, in the digits of ASCII alone: the SXU corpus cuts those of full width.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.rules.graphemes import PLAIN, clusters

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}

# Letters of scripts that write words without looking them up: Latin, Greek, Cyrillic, Armenian,
# Hebrew, Arabic, Indic, Georgian, Ethiopic, Hangul and their marks. Thai, Lao, Tibetan, Burmese
# and Khmer put no space between words: the model decides.
_LETTER = (
    r"[A-Za-zªµºÀ-ÖØ-öø-\u02ff\u0370-\u037d\u037f-\u0386\u0388-\u0559\u0561-\u0588\u05d0-\u05f2"
    r"\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u06ff\u0710-\u07bf\u0900-\u0963\u0971-\u0df3"
    r"\u10a0-\u10fa\u10fc-\u135f\u13a0-\u13ff\u1e00-\u1fff\uac00-\ud7a3]"
)
_MARK = r"\u0300-\u036f"
# Possessive, for what a repetition may go back to is kept for each of its rounds; but Python before
# 3.11.5 matches such a repetition of a group wrongly (CPython issue 106052).
_MANY = "*+" if sys.version_info >= (3, 11, 5) else "*"
_WORD = rf"{_LETTER}(?:{_LETTER[:-1]}{_MARK}\d_]++|(?<=[^\d_])['’-](?={_LETTER}|\d)){_MANY}"

_NUMBER = rf"(?:(?<![^\W_])(?<![\])%‰])[-+−±])?\d++(?:[./·]\d++){_MANY}[%‰]?"

_RUN = f"{_WORD}|{_NUMBER}"
"""Over the text with its full-width forms folded."""

_LINK = (
    r"(?:https?://|ftp://|www\.)[!-~]*[A-Za-z0-9/#&=_~+-]"
    r"|(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"
    r"|(?<![A-Za-z0-9.-])(?:[A-Za-z0-9-]+\.)+(?:com|cn|org|net|edu|gov)(?![A-Za-z0-9-])"
    r"(?:/[!-~]*[A-Za-z0-9/#&=_~+-])?"
    r"|(?:[Ｈｈ][Ｔｔ][Ｔｔ][Ｐｐ][Ｓｓ]?：／／|[Ｗｗ]{3}．)[Ａ-Ｚａ-ｚ０-９．／＿－]*[Ａ-Ｚａ-ｚ０-９／]"
)
_HINT_OF_LINK = r"[A-Za-z@]\.|@|://|．"
_DATE = r"(?<![A-Za-z0-9_-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?!-?[0-9])"
_BETWEEN_DIGITS = r"(?<=[\d%‰])[-−](?=\d)"
"""Over the text with its full-width forms folded."""

_THOUSANDS = r"(?<![\d.,])\d{1,3}(?:,\d{3})++(?:\.\d+)?(?![\d,])%?"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, made when it is first needed: many a text needs none."""
    return re.compile(pattern)


class Unsplittable(NamedTuple):
    """Two masks over the characters of a text, `[length]`, bool.

    Attributes:
        inside: where no word may begin.
        edge: where one must: where an address, an emoji or a hyphen between digits begins or has
            just ended. `inside` goes before it.
    """

    inside: NDArray[np.bool_]
    edge: NDArray[np.bool_]


def links(text: str) -> list[tuple[int, int]]:
    """The addresses in a text, of pages and of mail: where each starts and ends."""
    if not _compiled(_HINT_OF_LINK).search(text):
        return []
    return [match.span() for match in _compiled(_LINK).finditer(text)]


_SYMBOLS = np.array(
    [
        *(0x200B, 0x2010, 0x2190, 0x2460, 0x2500, 0x25CB, 0x25CC, 0x2C00),
        *(0xD800, 0xF900, 0xFE00, 0xFE10, 0xFFFC, 0xFFFE, 0x1F000, 0x1FB00, 0xE0000, 0xE1000),
    ],
    dtype=np.uint32,
)
"""Where ranges of symbols, emoji, marks that cannot be seen and private characters begin, and the
code points after them. The circle ○ is left out: it stands for a zero."""


def symbols(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are symbols, of which no name is made: `[length]`."""
    found: NDArray[np.bool_] = _SYMBOLS.searchsorted(codes, side="right") % 2 == 1
    return found


_LATIN = np.array([chr(code).isalpha() + 2 * chr(code).isdecimal() for code in range(0x251)])
_LATIN[-1] = 0
"""1 for a Latin letter, 2 for a digit; the last entry stands for all code points after it."""


def inside_latin(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which edges lie between two Latin letters or two digits: `[length + 1]`."""
    kind = _LATIN[np.minimum(codes, len(_LATIN) - 1)]
    inside = np.zeros(len(codes) + 1, dtype=bool)
    inside[1:-1] = (kind[1:] == kind[:-1]) & (kind[1:] > 0)
    return inside


def at_capitals(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which edges may be those of a lost space, as in CEODario and TeamWE: `[length + 1]`.

    After the edge stands a capital letter (A to Z), before it or after that a small one.
    """
    padded = np.zeros(len(codes) + 2, dtype=codes.dtype)
    padded[1:-1] = codes
    capital, small = ((padded >= low) & (padded < low + 26) for low in (ord("A"), ord("a")))
    found: NDArray[np.bool_] = capital[1:] & (small[:-1] | np.append(small[2:], False))
    return found


def _ruled() -> NDArray[np.bool_]:
    ruled = np.ones(1 << 16, dtype=bool)
    ruled[:0x80] = [chr(code).isalnum() for code in range(0x80)]
    for first, last in PLAIN.tolist():
        ruled[first : last + 1] = False
    for first, last in _RULED_AMONG_PLAIN:
        ruled[first : last + 1] = True
    return ruled


_RULED_AMONG_PLAIN = ((0xA620, 0xA629), (0xFF10, 0xFF19), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A))
"""Digits and letters among what is no part of a cluster: Vai, full width."""

_RULED = _ruled()
"""The code points without which there is no such stretch; the last stands for all after it."""


def may_hold_any(codes: NDArray[np.uint32]) -> bool:
    """Whether there may be a stretch that stays whole; most Chinese text without numbers has none.

    Args:
        codes: the code points of a text.
    """
    return bool(_RULED.take(codes, mode="clip").any())


def find_unsplittable(text: str, codes: NDArray[np.uint32]) -> Unsplittable:
    """Find the stretches of a text that stay whole.

    Args:
        text: any text.
        codes: its code points.
    """
    inside = np.zeros(len(text), dtype=bool)
    edge = np.zeros(len(text) + 1, dtype=bool)
    folded = text.translate(_FULL_WIDTH)
    for match in _compiled(_RUN).finditer(folded):
        start, end = match.span()
        if end - start > 1:
            inside[start + 1 : end] = True
    if "-" in folded or "−" in folded:
        for match in _compiled(_BETWEEN_DIGITS).finditer(folded):
            edge[match.start()] = edge[match.end()] = True
        for match in _compiled(_DATE).finditer(text):
            inside[match.start() + 1 : match.end()] = True
            edge[match.start() + 1 : match.end()] = False
    if "," in text:
        for match in _compiled(_THOUSANDS).finditer(text):
            inside[match.start() + 1 : match.end()] = True
    for start, end in links(text):
        inside[start + 1 : end] = True
        inside[start : start + 1] = inside[end : end + 1] = False
        edge[start] = edge[end] = True
    found = clusters(codes)
    if found is not None:
        inside |= found[0]
        edge[:-1] |= found[1]
    return Unsplittable(inside, edge[:-1])
