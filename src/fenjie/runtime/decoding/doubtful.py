"""Gaps of which a segmenter is in doubt: words that it knows go before words that it does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]

Knows = Callable[[Offsets, Offsets], NDArray[np.bool_]]
"""Whether the characters from each of some offsets to the other are a word that is known, as every
single character is."""

SHORTEST = 2
"""The fewest characters of both parts of an unknown word that is parted. A word with a single
character before or after it is as often one word (观望者) as two (小时|队)."""

LONG = 4
"""The fewest characters of a known word that may be joined against a surer model: 从长计议."""

SURER = 2.0
"""The part of the doubt, above 1, up to which such a word is joined."""


def in_doubt(odds: NDArray[np.float32], doubt: float) -> NDArray[np.bool_]:
    """Where `prefer_known` may decide otherwise than the model: `[length]`."""
    found: NDArray[np.bool_] = (odds > -doubt) & (odds < SURER * doubt)
    return found


def prefer_known(
    begins: NDArray[np.bool_], odds: NDArray[np.float32], knows: Knows, doubt: float
) -> None:
    """Decide the gaps whose log-odds are nearer to 0 than `doubt`.

    First, from left to right, two words become one if that is known and one of the two is not;
    none is joined twice. A known word of `LONG` characters or more is made up to `SURER` times the
    doubt. Then an unknown word is parted at its likeliest gap if both parts are known and have two
    characters or more.

    Args:
        begins: where words begin, `[length]`, the first character among them; changed in place.
        odds: the log-odds that one does, `[length]`; the model is in no doubt of the first one.
        knows: which words are known.
        doubt: the log-odds, above 0, from which on the model is not in doubt.
    """
    (near,) = in_doubt(odds, doubt).nonzero()
    is_sure = odds[near] >= doubt
    at_word = begins[near]
    if at_word.any():
        _join(begins, near[at_word], is_sure[at_word], knows)
    gap = near[~begins[near] & ~is_sure]
    if len(gap):
        _part(begins, gap, odds[gap], knows)


def _join(
    begins: NDArray[np.bool_], gap: Offsets, is_sure: NDArray[np.bool_], knows: Knows
) -> None:
    """Join the words at some gaps into known ones; where the model is sure, into long ones."""
    first, end = _around(begins, gap)
    tried = ~is_sure | (end - first >= LONG)
    if not tried.any():
        return
    first, gap, end = first[tried], gap[tried], end[tried]
    whole, left, right = _known(first, gap, end, knows)
    chosen = whole & ~(left & right)
    last = -1
    for before, here in zip(first[chosen].tolist(), gap[chosen].tolist(), strict=True):
        if before != last:
            begins[here] = False
            last = here


def _part(begins: NDArray[np.bool_], gap: Offsets, odds: NDArray[np.float32], knows: Knows) -> None:
    """Part unknown words into known ones at the likeliest of some gaps, which have these odds."""
    first, end = _around(begins, gap)
    order = np.lexsort((-odds, first))
    best = order[np.diff(first[order], prepend=-1) > 0]
    first, gap, end = first[best], gap[best], end[best]
    whole, left, right = _known(first, gap, end, knows)
    long = np.minimum(gap - first, end - gap) >= SHORTEST
    begins[gap[long & left & right & ~whole]] = True


def _around(begins: NDArray[np.bool_], gap: Offsets) -> tuple[Offsets, Offsets]:
    """Where the word before or around each of some gaps begins, and where that after it ends."""
    edges = np.append(begins.nonzero()[0], len(begins))
    return edges[edges.searchsorted(gap) - 1], edges[edges.searchsorted(gap, side="right")]


def _known(first: Offsets, gap: Offsets, end: Offsets, knows: Knows) -> NDArray[np.bool_]:
    """Whether two words are known as one, the first of them and the second: `[3, gaps]`."""
    starts, ends = np.concatenate((first, first, gap)), np.concatenate((end, gap, end))
    return knows(starts, ends).reshape(3, -1)
