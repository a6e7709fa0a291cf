"""Scores by standard, and their means."""

from __future__ import annotations

import math

import pytest

from fenjie.evaluation.standard_scores import StandardScores
from fenjie.evaluation.word_scores import WordScores

PKU = WordScores(gold=100, predicted=100, correct=90, oov=10, oov_correct=5)
MSR = WordScores(gold=10, predicted=10, correct=8, oov=0, oov_correct=0)
SCORES = StandardScores({"pku": PKU, "msr": MSR})


def test_each_standard_counts_as_much() -> None:
    assert SCORES.f1 == pytest.approx(0.85)
    assert SCORES.figures["P"] == pytest.approx(0.85)
    assert list(SCORES.figures) == list(PKU.figures)
    assert math.isnan(SCORES.figures["OOV recall"])


def test_json_has_the_means_and_each_standard() -> None:
    found = SCORES.as_dict()
    assert found["f1"] == pytest.approx(0.85) and found["oov_recall"] is None
    assert found["standards"] == {"pku": PKU.as_dict(), "msr": MSR.as_dict()}
    assert found.keys() - {"standards"} <= PKU.as_dict().keys()
