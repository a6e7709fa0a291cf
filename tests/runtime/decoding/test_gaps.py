"""Scores to words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.decoding.gaps import log_odds, settle, spans, words
from fenjie.runtime.rules.unsplittable import Unsplittable
from fenjie.runtime.words.user_words import Candidates, UserWord
from fenjie.text.span import Span


def test_the_higher_score_decides_and_a_tie_is_no_boundary() -> None:
    scores = np.array([[[0, 1], [1, 0], [1, 1]]], dtype=np.float32)
    assert (log_odds(scores) > 0).tolist() == [[True, False, False]]


def test_spans_and_words_tile() -> None:
    assert spans([0, 2, 3], 5) == (Span(0, 2), Span(2, 3), Span(3, 5))
    assert words("商品和服务", [0, 2, 3]) == ["商品", "和", "服务"]


def test_nothing_gives_nothing() -> None:
    assert spans([], 0) == ()
    assert words("", []) == []


def test_user_words_go_before_rules_and_these_before_the_model_and_whitespace_before_all() -> None:
    def marks(*places: int) -> NDArray[np.bool_]:
        found = np.zeros(12, dtype=bool)
        found[list(places)] = True
        return found

    def settled(rules: Unsplittable | None, user: Candidates | None) -> list[int]:
        begins = marks(0, 2, 4, 6)
        settle(begins, marks(9, 10), rules, user)
        return begins.nonzero()[0].tolist()

    rules = Unsplittable(inside=marks(2, 5, 6), edge=marks(1, 6, 7))
    user = Candidates(np.array([5, 8]), np.array([7, 10]), [UserWord()] * 2, 0)
    assert settled(None, None) == [0, 2, 4, 6, 9, 11]
    assert settled(rules, None) == [0, 1, 4, 7, 9, 11]
    assert settled(rules, user) == [0, 1, 4, 5, 7, 8, 9, 11]
