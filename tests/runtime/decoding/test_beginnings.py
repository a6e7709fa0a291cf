"""The log-odds that something begins at a character, beside their definition."""

from __future__ import annotations

import numpy as np
import pytest

from fenjie.runtime.decoding.beginnings import log_odds
from fenjie.runtime.decoding.forward_backward import Steps
from tests.reference import crf as literal
from tests.runtime.decoding.random_scores import LENGTHS, TAGS, make


@pytest.mark.parametrize("constrained", [True, False])
def test_it_is_that_of_all_paths(constrained: bool) -> None:
    scores, table = make(constrained)
    found = log_odds(scores, LENGTHS, Steps.of(table), TAGS.begins)
    assert found.shape == scores.shape[:2]
    for row, length in enumerate(LENGTHS.tolist()):
        each = literal.marginals(scores[row, :length], table) if length else np.zeros((0, 1))
        for at, share in enumerate(each):
            begun, others = share[TAGS.begins].sum(), share[~TAGS.begins].sum()
            expected = np.log(begun / others) if others else np.inf
            assert found[row, at] == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_odds_of_a_gap_that_is_all_but_certain_are_exact() -> None:
    table = np.where(np.vstack((TAGS.allowed, TAGS.begins, TAGS.ends)), 0.0, -np.inf)
    scores = np.zeros((1, 2, len(TAGS)))
    scores[0, :, TAGS.path("A", 1)[0]] = 60.0
    (found,) = log_odds(scores, np.array([2]), Steps.of(table), TAGS.begins)
    # S S weighs e^120, O S and S O e^60, O O 1; against them B E, which weighs 1.
    assert found[1] == pytest.approx(120, rel=1e-6)
