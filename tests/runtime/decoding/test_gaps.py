"""Scores to words."""

from __future__ import annotations

import numpy as np

from fenjie.runtime.decoding.gaps import log_odds, spans, words
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
