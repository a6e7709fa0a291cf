"""Hashed n-grams around each gap, for a linear model of boundaries.

The templates are the classical ones of character-based segmentation (Ng and Low 2004; Zhao and
Kit 2007) in a wider window, and the lexicon words at the gap, alone and with the two characters
beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

WINDOWS = (
    *((place,) for place in range(-2, 4)),
    *((place, place + 1) for place in range(-2, 3)),
    *((place, place + 1, place + 2) for place in range(-2, 2)),
    (-1, 0, 1, 2),
    (0, 2),
    (-1, 1),
)
"""The characters of each n-gram; 0 stands before the gap, 1 after it."""

TEMPLATES = len(WINDOWS)

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(31)
_REACH = 3
_OUTSIDE = np.uint64(1)
"""Stands for a character before the beginning or after the end of a text."""

Hashes = NDArray[np.uint64]


class WordsAtGap(Protocol):
    """Lengths of the lexicon words at each character (`fenjie.lexicon.longest.LongestWords`)."""

    @property
    def begin(self) -> NDArray[np.int32]:
        """Of those that begin with it."""

    @property
    def end(self) -> NDArray[np.int32]:
        """Of those that end with it."""

    @property
    def cross(self) -> NDArray[np.int32]:
        """Of those that hold it and the character after it."""


def hashed_ngrams(
    codes: NDArray[np.uint32],
    ends: NDArray[np.int64],
    views: Sequence[WordsAtGap],
    buckets: int,
) -> list[NDArray[np.int32]]:
    """The n-grams around the gap after each character, as numbers under `buckets`.

    Args:
        codes: the code points of texts that lie one after the other, `[length]`.
        ends: offset after the last character of each text, rising.
        views: the lexicon words at each character, for each lexicon.
        buckets: the number of numbers, a power of two.

    Returns:
        `TEMPLATES + 2 * len(views)` columns, `[length]` each.
    """
    around = _around(codes, ends)
    columns = []
    for template, window in enumerate(WINDOWS):
        hashes = np.full(len(codes), template + 1, dtype=np.uint64)
        for place in window:
            hashes = _mix(hashes, around[place])
        columns.append(hashes)
    for number, view in enumerate(views):
        following = np.append(view.begin, 0)[1:]
        following[ends[ends > 0] - 1] = 0
        words = ((following * 8 + view.end) * 8 + view.cross).astype(np.uint64)
        alone = _mix(np.full(len(codes), 1000 + number, dtype=np.uint64), words)
        columns += [alone, _mix(_mix(alone, around[0]), around[1])]
    return [(hashes & np.uint64(buckets - 1)).astype(np.int32) for hashes in columns]


def _around(codes: NDArray[np.uint32], ends: NDArray[np.int64]) -> dict[int, Hashes]:
    """The character at each distance from each character, `_OUTSIDE` where the text is over."""
    size = len(codes)
    sizes = np.diff(ends, prepend=0)
    text = np.repeat(np.arange(len(ends)), sizes)
    padded = np.pad(codes.astype(np.uint64), _REACH, constant_values=_OUTSIDE)
    owner = np.pad(text, _REACH, constant_values=-1)
    around = {}
    for place in range(-_REACH + 1, _REACH + 1):
        at = slice(_REACH + place, _REACH + place + size)
        around[place] = np.where(owner[at] == text, padded[at], _OUTSIDE)
    return around


def _mix(hashes: Hashes, values: Hashes) -> Hashes:
    mixed = (hashes ^ values) * _MULTIPLIER
    return mixed ^ (mixed >> _SHIFT)
