"""Known words before unknown ones where a model is in doubt, against a slow reading of the rule."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from fenjie.runtime.decoding.doubtful import LONG, SHORTEST, SURER, prefer_known

DOUBT = 1.0
INF = np.inf


def decided(text: str, odds: list[float], known: set[str]) -> list[str]:
    """The words of a text."""

    def knows(first: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.bool_]:
        places = zip(first.tolist(), end.tolist(), strict=True)
        return np.array([low + 1 == high or text[low:high] in known for low, high in places])

    values = np.array(odds, dtype=np.float32)
    begins = values > 0
    prefer_known(begins, values, knows, DOUBT)
    edges = [*begins.nonzero()[0].tolist(), len(text)]
    return [text[low:high] for low, high in pairwise(edges)]


def slowly(text: str, odds: list[float], known: set[str]) -> list[str]:
    """The same, a gap at a time."""

    def is_known(word: str) -> bool:
        return len(word) == 1 or word in known

    edges = [place for place, value in enumerate(odds) if value > 0] + [len(text)]
    kept, joined = list(edges), -1
    for before, gap, after in zip(edges, edges[1:], edges[2:], strict=False):
        left, right = text[before:gap], text[gap:after]
        doubt = SURER * DOUBT if after - before >= LONG else DOUBT
        in_doubt = abs(odds[gap]) < doubt and before != joined
        if in_doubt and is_known(left + right) and not (is_known(left) and is_known(right)):
            kept.remove(gap)
            joined = gap
    words = []
    for first, end in pairwise(kept):
        gap = max(range(first + 1, end), key=lambda place: odds[place], default=None)
        if gap is not None and not is_known(text[first:end]) and odds[gap] > -DOUBT:
            parts = text[first:gap], text[gap:end]
            if all(len(part) >= SHORTEST and is_known(part) for part in parts):
                words += parts
                continue
        words.append(text[first:end])
    return words


@pytest.mark.parametrize(
    ("odds", "known", "expected"),
    [
        ([INF, -2, 0.5, -2], {"置身事外"}, ["置身事外"]),
        ([INF, -2, 0.5, -2], {"置身事外", "置身", "事外"}, ["置身", "事外"]),  # as likely two
        ([INF, -2, 0.5, -2], set(), ["置身", "事外"]),
        ([INF, -2, 1.5, -2], {"置身事外"}, ["置身事外"]),  # four characters: twice the doubt
        ([INF, -2, 2.5, -2], {"置身事外"}, ["置身", "事外"]),  # no doubt
        ([INF, 0.5, -2, 9], {"置身事"}, ["置身事", "外"]),
        ([INF, 1.5, -2, 9], {"置身事"}, ["置", "身事", "外"]),  # three: no doubt
        ([INF, -2, -0.5, -2], {"置身", "事外"}, ["置身", "事外"]),
        ([INF, -2, -0.5, -2], {"置身"}, ["置身事外"]),
        ([INF, -2, -0.5, -2], {"置身", "事外", "置身事外"}, ["置身事外"]),
        ([INF, -2, -1.5, -2], {"置身", "事外"}, ["置身事外"]),
        ([INF, -2, -2, -0.5], {"置身事"}, ["置身事外"]),  # parts of one character say nothing
        ([INF, 0.5, 0.5, 0.5], {"置身", "身事", "事外"}, ["置", "身", "事", "外"]),
    ],
)
def test_examples(odds: list[float], known: set[str], expected: list[str]) -> None:
    assert decided("置身事外", odds, known) == expected == slowly("置身事外", odds, known)


def test_none_is_joined_twice() -> None:
    odds, known = [INF, -2, 0.5, -2, 0.5, -2], {"abcd", "cdef"}
    assert decided("abcdef", odds, known) == ["abcd", "ef"]


def test_the_rule_as_it_reads() -> None:
    random = np.random.default_rng(1)
    changed = 0
    for _ in range(500):
        size = int(random.integers(1, 25))
        text = "".join(random.choice(list("abc"), size))
        stretches = [text[low : low + int(random.integers(2, 6))] for low in range(size)]
        known = {word for word in stretches if random.random() < 0.6}
        odds = [INF, *random.normal(0, 1.5, size - 1).astype(np.float32).tolist()]
        found = decided(text, odds, known)
        assert found == slowly(text, odds, known)
        changed += len(found) != sum(value > 0 for value in odds)
    assert changed > 100
    assert decided("", [], set()) == []
