"""All words of a text at once, against a plain search."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from fenjie.runtime.words.word_search import Search


def test_against_a_plain_search() -> None:
    choose = random.Random(0)
    for seed in range(30):
        choose.seed(seed)
        lengths = [choose.choice([1, 2, 3, 5, 30, 31, 32, 33, 40]) for _ in range(40)]
        # Two characters, one of them rare, so that there are long matches.
        words = {"".join(choose.choices("甲乙", [9, 1], k=length)) for length in lengths}
        text = "".join(choose.choices("甲乙丙", [20, 2, 1], k=600))
        edges = np.array([choose.random() < 0.8 for _ in range(len(text) + 1)])
        starts, ends = Search(words).longest(text, edges)
        expected, place = [], 0
        while place < len(text):
            fitting = [
                place + len(word)
                for word in words
                if text.startswith(word, place) and edges[place] and edges[place + len(word)]
            ]
            if fitting:
                expected.append((place, max(fitting)))
            place = max(fitting, default=place + 1)
        assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["中" * 31 + f"{n:04}" for n in range(2000)], "中" * 40_000),
        (["中" * n for n in range(31, 3031)], "中" * 40_000),
        (["中" * 3000 + "x"], "中" * 40_000),
    ],
)
def test_words_that_begin_alike_cost_little(words: list[str], text: str) -> None:
    search = Search(words)
    begin = time.process_time()
    search.longest(text, np.ones(len(text) + 1, dtype=bool))
    assert time.process_time() - begin < 4


def test_the_longest_of_long_words_wins() -> None:
    base = "".join(map(chr, range(0x4E00, 0x4E00 + 100)))
    words = [base[:31], base[:32], base[:61], base[:62], base[:63], base[:93], "一丁", base[62:64]]
    search = Search(words)
    for length in range(2, 100):
        text = base[:length]
        best = max(len(word) for word in words if text.startswith(word))
        start, end = search.longest(text, np.ones(length + 1, dtype=bool))
        assert (start[0], end[0]) == (0, best)
        edges = np.ones(length + 1, dtype=bool)
        edges[best] = False
        shorter = [len(w) for w in words if text.startswith(w) and len(w) != best]
        start, end = search.longest(text, edges)
        assert not shorter or (start[0], end[0]) == (0, max(shorter))
