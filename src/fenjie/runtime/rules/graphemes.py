"""Grapheme clusters, one character each to a reader: Unicode Standard Annex #29.

Base and combining marks, variation selectors, emoji joined by ZWJ, flags, conjoining Hangul. The
rule for Indic conjuncts (GB9c) is left out: no Chinese text has needed it.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

OTHER, EXTEND, JOINER, SPACING, PREPEND, REGIONAL, PICTURE, LEADING, VOWEL, TRAILING, LV, LVT = (
    range(12)
)

# The code points from U+0300 upwards that cannot be part of a cluster of several, by far the most
# frequent ones of Chinese text: general punctuation, CJK symbols, kana, Han, full-width forms.
PLAIN = np.array(
    [
        (0x2010, 0x2027), (0x2030, 0x203B), (0x2160, 0x2193), (0x2460, 0x24C1),
        (0x24C3, 0x2593), (0x3000, 0x3029),
        (0x3031, 0x303C), (0x303E, 0x3098), (0x309B, 0x3296), (0x329A, 0xA66E), (0xE000, 0xFB1D),
        (0xFE30, 0xFF9D), (0x20000, 0x3FFFD),
    ]
)  # fmt: skip
_PLAIN_EDGES = np.array([0, 0x300, *np.add(PLAIN, (0, 1)).ravel()], dtype=np.uint32)
"""Rising; stretches of plain code points begin at even places and end at odd ones."""

_PICTURES = (
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122),
    (0x2139, 0x2139), (0x2194, 0x2199), (0x21A9, 0x21AA), (0x231A, 0x231B), (0x2328, 0x2328),
    (0x23CF, 0x23CF), (0x23E9, 0x23F3), (0x23F8, 0x23FA), (0x24C2, 0x24C2), (0x25AA, 0x25AB),
    (0x25B6, 0x25B6), (0x25C0, 0x25C0), (0x25FB, 0x25FE), (0x2600, 0x2605), (0x2607, 0x2612),
    (0x2614, 0x2685), (0x2690, 0x2705), (0x2708, 0x2712), (0x2714, 0x2714), (0x2716, 0x2716),
    (0x271D, 0x271D), (0x2721, 0x2721), (0x2728, 0x2728), (0x2733, 0x2734), (0x2744, 0x2744),
    (0x2747, 0x2747), (0x274C, 0x274C), (0x274E, 0x274E), (0x2753, 0x2755), (0x2757, 0x2757),
    (0x2763, 0x2767), (0x2795, 0x2797), (0x27A1, 0x27A1), (0x27B0, 0x27B0), (0x27BF, 0x27BF),
    (0x2934, 0x2935), (0x2B05, 0x2B07), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55),
    (0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3297), (0x3299, 0x3299), (0x1F000, 0x1F0FF),
    (0x1F10D, 0x1F10F), (0x1F12F, 0x1F12F), (0x1F16C, 0x1F171), (0x1F17E, 0x1F17F),
    (0x1F18E, 0x1F18E), (0x1F191, 0x1F19A), (0x1F1AD, 0x1F1E5), (0x1F201, 0x1F20F),
    (0x1F21A, 0x1F21A), (0x1F22F, 0x1F22F), (0x1F232, 0x1F23A), (0x1F23C, 0x1F23F),
    (0x1F249, 0x1F3FA), (0x1F400, 0x1F53D), (0x1F546, 0x1F64F), (0x1F680, 0x1F6FF),
    (0x1F774, 0x1F77F), (0x1F7D5, 0x1F7FF), (0x1F80C, 0x1F80F), (0x1F848, 0x1F84F),
    (0x1F85A, 0x1F85F), (0x1F888, 0x1F88F), (0x1F8AE, 0x1F8FF), (0x1F90C, 0x1F93A),
    (0x1F93C, 0x1F945), (0x1F947, 0x1FAFF), (0x1FC00, 0x1FFFD),
)  # fmt: skip
_PICTURE_EDGES = np.array(list(chain.from_iterable((a, b + 1) for a, b in _PICTURES)))
_EXTENDING = {0x200C, 0xFF9E, 0xFF9F, *range(0x1F3FB, 0x1F400), *range(0xE0020, 0xE0080)}
_PREPENDED = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xD4E, 0x110BD, 0x110CD}
_VARIATION_SELECTOR_16 = 0xFE0F
_FIRST_PICTOGRAPH = 0x1F000
_FIRST_PRINTABLE = 0x20


def clusters(codes: NDArray[np.uint32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Find the grapheme clusters of more than one character, and the emoji.

    Args:
        codes: the code points of a text, `[length]`.

    Returns:
        Two masks `[length]`: `inside`, where a character belongs to the cluster of the one before
        it, and `edge`, where an emoji begins or has just ended. None where neither occurs.
    """
    (rare,) = (_PLAIN_EDGES.searchsorted(codes, side="right") % 2 == 0).nonzero()
    if not len(rare):
        return None
    kinds = np.zeros(len(codes), dtype=np.int8)
    values, place = np.unique(codes[rare], return_inverse=True)
    kinds[rare] = np.array([_kind(value) for value in values.tolist()], dtype=np.int8)[place]
    inside = _inside(kinds)
    inside[1:] &= codes[:-1] >= _FIRST_PRINTABLE  # GB4
    inside &= codes >= _FIRST_PRINTABLE  # GB5
    return inside, _emoji_edges(codes, kinds, inside)


def _inside(kinds: NDArray[np.int8]) -> NDArray[np.bool_]:
    inside = np.zeros(len(kinds), dtype=bool)
    before, here = kinds[:-1], kinds[1:]
    inside[1:] = (
        np.isin(here, (EXTEND, JOINER, SPACING))  # GB9, GB9a
        | (before == PREPEND)  # GB9b
        | (before == LEADING) & np.isin(here, (LEADING, VOWEL, LV, LVT))  # GB6
        | np.isin(before, (LV, VOWEL)) & np.isin(here, (VOWEL, TRAILING))  # GB7
        | np.isin(before, (LVT, TRAILING)) & (here == TRAILING)  # GB8
    )
    positions = np.arange(len(kinds))
    # GB11: a picture, extenders, a joiner, a picture.
    bare = np.maximum.accumulate(np.where(kinds == EXTEND, -1, positions))
    joined = np.flatnonzero((before == JOINER) & (here == PICTURE)) + 1
    joined = joined[joined >= 2]
    base = bare[joined - 2]
    inside[joined[(base >= 0) & (kinds[base] == PICTURE)]] = True
    # GB12, GB13: regional indicators in pairs.
    regional = kinds == REGIONAL
    run = np.maximum.accumulate(np.where(regional, -1, positions))
    inside |= regional & ((positions - run) % 2 == 0)
    inside[:1] = False
    return inside


def _emoji_edges(
    codes: NDArray[np.uint32], kinds: NDArray[np.int8], inside: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    emoji = (kinds == PICTURE) & (codes >= _FIRST_PICTOGRAPH) | (kinds == REGIONAL)
    emoji[:-1] |= (codes[1:] == _VARIATION_SELECTOR_16) & inside[1:]
    begins = np.flatnonzero(emoji & ~inside)
    starts = np.append(np.flatnonzero(~inside), len(codes))
    ends = starts[np.searchsorted(starts, begins) + 1]
    edge = np.zeros(len(codes) + 1, dtype=bool)
    edge[begins] = edge[ends] = True
    return edge[:-1]


@cache
def _kind(code: int) -> int:
    if code == 0x200D:
        return JOINER
    if code in _EXTENDING or unicodedata.category(chr(code)) in ("Mn", "Me"):
        return EXTEND
    if unicodedata.category(chr(code)) == "Mc":
        return SPACING
    if code in _PREPENDED:
        return PREPEND
    if 0x1F1E6 <= code <= 0x1F1FF:
        return REGIONAL
    if np.searchsorted(_PICTURE_EDGES, code, side="right") % 2:
        return PICTURE
    return _hangul(code)


def _hangul(code: int) -> int:
    if 0xAC00 <= code <= 0xD7A3:
        return LVT if (code - 0xAC00) % 28 else LV
    for kind, first, last in (
        (LEADING, 0x1100, 0x115F), (LEADING, 0xA960, 0xA97C), (VOWEL, 0x1160, 0x11A7),
        (VOWEL, 0xD7B0, 0xD7C6), (TRAILING, 0x11A8, 0x11FF), (TRAILING, 0xD7CB, 0xD7FB),
    ):  # fmt: skip
        if first <= code <= last:
            return kind
    return OTHER
