"""Precision, recall and F1."""

from __future__ import annotations

from math import isnan
from typing import NamedTuple

import pytest

from fenjie.evaluation.shares import Shares, or_none, share


class Numbers(NamedTuple):
    gold: int
    predicted: int
    correct: int


class Counts(Shares, Numbers):
    """What a comparison counted."""


def test_counts_become_shares() -> None:
    counts = Counts(gold=8, predicted=4, correct=2)
    assert (counts.precision, counts.recall) == (0.5, 0.25)
    assert counts.f1 == pytest.approx(2 * 0.5 * 0.25 / (0.5 + 0.25))


def test_nothing_to_count_is_not_a_number() -> None:
    nothing, missed = Counts(0, 0, 0), Counts(gold=3, predicted=0, correct=0)
    assert isnan(nothing.precision) and isnan(nothing.recall) and isnan(nothing.f1)
    assert isnan(missed.precision) and (missed.recall, missed.f1) == (0, 0)
    assert or_none(nothing.f1) is None
    assert or_none(share(1, 2)) == 0.5
