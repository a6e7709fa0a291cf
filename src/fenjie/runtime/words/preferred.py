"""Preferred words: the best path over a model's own odds, with a bonus for each user word on it.

A user word is taken where its bonus is more than what the model loses by it: the log-odds of the
boundaries inside of it, and those against a boundary at its ends. So a word that the model has
merely missed is found, and one whose characters only meet by chance is not.
"""

from __future__ import annotations

from bisect import bisect_right
from math import exp, inf

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Floats = NDArray[np.float64]

FORCED = inf
"""The weight of a word that is found wherever it occurs, against the model."""

USUAL = 10.0
"""The weight of a word that is given none."""

BONUS = 10.0
"""The bonus of a word of the usual weight, in log-odds: 和服 is found in 她穿和服 and not in
商品和服务."""

PER_CHARACTER = 6.0
"""What each character beyond the second adds to the bonus of a word of a segmenter, and what a
single character lacks: a long word seldom stands where its characters only meet, and a model is
sure of each boundary inside of one that its standard would cut. Chosen on held-out text."""

ENTITY_BONUS = 14.0
"""That of an entity of the usual weight, over the scores of a CRF, which are surer of themselves;
chosen on held-out text, by `benchmarks.user_words`."""

WITHIN = 8.0
"""What an entity has less that lies within a longer one of the model, as 斯坦福 does in 斯坦福大学;
chosen on held-out text, by `benchmarks.words_within`."""

MOST = 600.0
"""More than any word needs over the bonus of the usual weight, and its weight is still a number."""

LONGER = 1e-6
"""A bonus for each character, so that of words or entities that cost the same the longer one is
found."""


def word_bonus(weight: Floats, length: Offsets) -> Floats:
    """The bonuses of words of a segmenter, in log-odds: `[words]`.

    A weight beyond the usual one adds nothing to a single character. In a dictionary of jieba's
    the commonest words are single characters: any two would be worth more than the word that they
    are.

    Args:
        weight: the weights of the words, see `weighed`, `[words]`.
        length: the numbers of their characters.
    """
    counted = np.where(length > 1, weight, np.minimum(weight, USUAL))
    return BONUS + weighed(counted) + PER_CHARACTER * (length - 2)


def entity_bonus(weight: Floats) -> Floats:
    """The bonuses of entities of a CRF by their weights, in log-odds: `[entities]`."""
    return ENTITY_BONUS + weighed(weight)


def weighed(weight: Floats) -> Floats:
    """What weights add to the bonus of the usual one: ten times the weight adds 2.3.

    Args:
        weight: as the frequencies of jieba's dictionaries are; less than 1 is as 1.
    """
    found: Floats = np.log(np.maximum(weight, 1.0) / USUAL)
    return found


def least_weight(odds: NDArray[np.float32]) -> int:
    """The least whole weight with which a word of a segmenter is found in a text of its own.

    Args:
        odds: those of `choose`, of the word as a text, `[length]`.
    """
    lost = np.maximum(_known(odds)[1:], 0.0).sum()
    missing = float(lost - word_bonus(np.array(USUAL), np.array(len(odds))))
    return int(USUAL * exp(min(missing, MOST))) + 1


def choose(start: Offsets, end: Offsets, bonus: Floats, odds: NDArray[np.float32]) -> Offsets:
    """The numbers of the words on the best path, none over another.

    Args:
        start: where words start, `[words]`, in any order.
        end: where they end.
        bonus: what each adds to a path that has it.
        odds: the log-odds, by the model, that a word begins at each character, `[length]`; NaN or
            infinite where it is not asked, which costs nothing.

    Returns:
        Numbers of words, in the order of their starts.
    """
    known = _known(odds)
    against = np.append(np.maximum(-known, 0.0), 0.0)
    within = np.append(0.0, np.cumsum(np.maximum(known, 0.0)))
    gain = bonus - (within[end] - within[start + 1]) + LONGER * (end - start)
    (worth,) = (gain > 0).nonzero()
    order = worth[np.lexsort((start[worth], end[worth]))]
    first, last = start[order].tolist(), end[order].tolist()
    columns = gain[order].tolist(), against[start[order]].tolist(), against[end[order]].tolist()
    # For each place where words end: the best path up to it, and that whose last word ends there.
    places, best = [0], [(0.0, -1)]
    ending: dict[int, tuple[float, int]] = {}
    before: list[int] = []
    for number, (low, high, *values) in enumerate(zip(first, last, *columns, strict=True)):
        value, cost_low, cost_high = values
        reached, previous = best[bisect_right(places, low) - 1]
        reached -= cost_low
        if low in ending and ending[low][0] >= reached:
            reached, previous = ending[low]
        total = reached + value - cost_high
        before.append(previous)
        if high not in ending or total > ending[high][0]:
            ending[high] = total, number
        if total > best[-1][0]:
            if places[-1] == high:
                best[-1] = total, number
            else:
                places.append(high)
                best.append((total, number))
    chosen = []
    number = best[-1][1]
    while number >= 0:
        chosen.append(number)
        number = before[number]
    chosen.reverse()
    numbers: Offsets = order[chosen]
    return numbers


def _known(odds: NDArray[np.float32]) -> Floats:
    """The log-odds in double precision, 0 where the model is not asked."""
    return np.where(np.isfinite(odds), odds, 0.0).astype(np.float64)
