"""Windows over passages, and batches of like length."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fenjie.lexicon.lexicon import Lexicon
from fenjie.runtime.batching import RUN, WORD_COST, Limits, Windows, Words, batches, without_runs
from fenjie.runtime.sentences import LIMITS
from fenjie.text.vocabulary import code_points

CALL = LIMITS.padding
WINDOW = 512
OVERLAP = 128


def shapes(lengths: list[int]) -> list[list[int]]:
    """The lengths of the texts of each batch."""
    edges = np.cumsum([0, *lengths])
    table = np.arange(2, 2 + edges[-1], dtype=np.int32)[:, None]
    view = Windows.over(edges, LIMITS)
    made = list(batches(table, view, Words.of(view, None), LIMITS))
    for batch in made:
        assert batch.ids.shape[1] == batch.lengths.max()
        assert ((batch.ids[..., 0] > 0).sum(1) == batch.lengths).all()
    return [batch.lengths.tolist() for batch in made]


def test_like_lengths_share_a_call() -> None:
    assert shapes([20, 21, 19]) == [[19, 20, 21]]


def test_padding_never_costs_more_than_a_call() -> None:
    assert shapes([100, 10]) == [[10], [100]]
    assert shapes([10, 10 + CALL]) == [[10, 10 + CALL]]
    assert shapes([10, 11 + CALL]) == [[10], [11 + CALL]]
    assert shapes([10, 10, 10 + CALL]) == [[10, 10], [10 + CALL]]
    half = CALL // 2  # of the batch together, not of each text that joins
    assert shapes([10, 10 + half, 11 + 2 * half]) == [[10, 10 + half], [11 + 2 * half]]


def test_a_batch_has_an_end() -> None:
    made = shapes([32] * 100)
    assert sum(map(len, made)) == 100
    assert max(32 * len(batch) for batch in made) == LIMITS.characters


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("length", [1, 2, 29, 30, 31, 50, 53, 54, 200])
def test_each_position_is_decided_once_where_it_is_farthest_from_an_edge(
    length: int, first: int
) -> None:
    limits = Limits(window=30, overlap=9, first=first)
    edges = np.array([0, 5, 5 + length])
    view = Windows.over(edges, limits)
    scored = view.start + first
    for position in (*range(first, 5), *range(5 + first, 5 + length)):
        (own,) = np.flatnonzero((view.low <= position) & (position < view.high))
        depth = np.minimum(position - scored, view.stop - 1 - position)
        assert depth[own] == depth.max()
    assert (view.low < view.high).all()
    assert (view.stop - view.start <= 30).all()
    assert (view.passage == (view.start >= 5)).all()
    assert int((view.high - view.low).sum()) == 5 + length - 2 * first


def test_words_of_windows() -> None:
    edges = np.array([0, 3, 1003, 1010, 1523])
    view = Windows.over(edges, Limits(WINDOW, OVERLAP))
    assert view.passage.tolist() == [0, 1, 1, 1, 2, 3, 3]
    for low, high in pairwise(range(1, 4)):
        assert view.stop[low] - view.start[high] >= OVERLAP
    codes = np.frombuffer(("ab" * 762).encode("utf-32-le"), dtype="<u4")[:1523]
    matches = Lexicon.build(["ab", "ba"]).match_codes(codes, edges[1:])
    words = Words.of(view, matches)
    assert words.counts.tolist()[:2] == [2, 511]  # 0 to 3, 3 to 515
    spans = sorted(zip(matches.start.tolist(), matches.end.tolist(), strict=True))
    inside = [
        (start - begin, end - begin - 1)
        for begin, stop in zip(view.start, view.stop, strict=True)
        for start, end in spans
        if begin <= start and end <= stop
    ]
    assert list(zip(words.start.tolist(), words.end.tolist(), strict=True)) == inside


def test_windows_are_shorter_where_words_are_many() -> None:
    lexicon = Lexicon.build(["ab" * n for n in range(1, 15)])
    text = "xy" * 300 + "ab" * 300 + "xy" * 300
    matches = lexicon.match(text)
    edges = np.array([0, len(text)])
    limits = Limits(WINDOW, OVERLAP, memory=WINDOW * (WINDOW + WORD_COST * 100))
    view = Windows.over(edges, limits, matches)
    words = Words.of(view, matches)
    sizes = view.stop - view.start
    assert sizes[0] == sizes[-1] == WINDOW
    assert sizes.min() < WINDOW / 3
    assert (sizes * (sizes + WORD_COST * words.counts) <= limits.memory).all()
    assert view.low[1:].tolist() == view.high[:-1].tolist()
    assert (view.low[0], view.high[-1]) == (0, len(text))
    assert (view.start <= view.low).all() and (view.high <= view.stop).all()


def test_no_word_is_seen_inside_of_a_long_run() -> None:
    lexicon = Lexicon.build(["..", "....", ".a", "a.", "哈哈"])
    for dots, found in ((RUN, 2 * RUN - 4 + 2), (RUN + 1, 2)):
        text = "a" + "." * dots + "a哈哈"
        matches = without_runs(code_points(text), lexicon.match(text))
        assert len(matches.start) == found + 1, dots
