"""Resampling of sentences and the t-test over runs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import ttest_rel

from fenjie.errors import FenjieError
from fenjie.evaluation import entity_scores, word_scores
from fenjie.evaluation.significance import (
    compare,
    entity_counts,
    f1,
    t_interval,
    t_test,
    word_counts,
)
from fenjie.text.span import Sentence, Span


def system(seed: int, right: float, runs: int = 1, sentences: int = 80) -> np.ndarray:
    """Counts of a system that finds this share of two spans a sentence."""
    generator = np.random.default_rng(seed)
    correct = generator.binomial(2, right, size=(runs, sentences))
    return np.stack([np.full_like(correct, 2), np.full_like(correct, 2), correct], axis=-1)


def test_counts_are_those_of_the_scores() -> None:
    gold = [
        Sentence("李雷在北京", (Span(0, 2, "PER"), Span(3, 5, "LOC"))),
        Sentence("无"),
    ]
    answers = [Sentence("李雷在北京", (Span(0, 2, "PER"),)), Sentence("无", (Span(0, 1, "LOC"),))]
    counts = entity_counts(gold, answers)
    assert counts.tolist() == [[2, 1, 1], [0, 1, 0]]
    assert f1(counts.sum(0)) == entity_scores.score(gold, answers).f1
    gold, answers = (
        [Sentence.from_words(["我", "在", "北京"])],
        [Sentence.from_words(["我在", "北京"])],
    )
    assert word_counts(gold, answers).tolist() == [[3, 2, 1]]
    assert f1(word_counts(gold, answers)[0]) == word_scores.score(gold, answers).f1
    with pytest.raises(FenjieError, match="another text"):
        entity_counts(gold, [Sentence("他在北京")])


def test_a_clear_difference_and_none() -> None:
    found = compare(system(1, 0.5), system(2, 0.9), samples=2000)
    assert found.difference > 0.2
    assert found.interval[0] > 0 and found.interval[0] < found.difference < found.interval[1]
    assert found.p_bootstrap < 0.001 and found.p_randomisation < 0.001
    same = compare(system(1, 0.5), system(1, 0.5), samples=200)
    assert (same.difference, same.interval) == (0, (0, 0))
    assert (same.p_bootstrap, same.p_randomisation) == (1, 1)
    again = compare(system(1, 0.5), system(2, 0.9), samples=2000)
    assert again == found
    other = compare(system(1, 0.5), system(2, 0.9), samples=2000, seed=2)
    assert other.interval != found.interval


def test_the_systems_in_each_others_place() -> None:
    one, other = system(1, 0.5, runs=2), system(2, 0.6, runs=2)
    forth, back = compare(one, other, samples=3000), compare(other, one, samples=3000)
    assert forth.difference == pytest.approx(-back.difference)
    assert forth.interval == pytest.approx((-back.interval[1], -back.interval[0]))
    assert forth.p_bootstrap == pytest.approx(back.p_bootstrap)
    assert len(forth.one) == 2 and forth.differences == [
        b - a for a, b in zip(forth.one, forth.other, strict=True)
    ]


def test_randomisation_is_that_of_all_exchanges() -> None:
    """Of six sentences, all sixty-four exchanges can be counted."""
    one, other = system(3, 0.4, sentences=6), system(4, 0.8, sentences=6)
    found = compare(one, other, samples=20_000)
    values = []
    for swap in itertools.product([False, True], repeat=6):
        mask = np.array(swap)[None, :, None]
        mixed = [np.where(mask, a, b).sum(1) for a, b in ((other, one), (one, other))]
        values.append(float(f1(mixed[1])[0] - f1(mixed[0])[0]))
    exact = np.mean([abs(value) >= abs(found.difference) - 1e-12 for value in values])
    assert found.p_randomisation == pytest.approx(exact, abs=0.015)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(FenjieError, match="2 runs of 80 sentences; expected 1 of 80"):
        compare(system(1, 0.5), system(1, 0.5, runs=2))
    with pytest.raises(FenjieError, match="neither the file nor the systems have a span"):
        compare(np.zeros((1, 3, 3), dtype=int), np.zeros((1, 3, 3), dtype=int))
    assert f1(np.zeros(3)) == 1


def test_t_test() -> None:
    a, b = [0.5, 0.52, 0.51], [0.53, 0.54, 0.56]
    differences = [y - x for x, y in zip(a, b, strict=True)]
    assert t_test(differences) == pytest.approx(ttest_rel(b, a).pvalue)
    low, high = t_interval(differences) or (0.0, 0.0)
    assert low + high == pytest.approx(2 * sum(differences) / len(differences))
    for end in (low, high):  # at an end of the interval p is what the interval leaves out
        assert t_test([one - end for one in differences]) == pytest.approx(0.05)
    assert t_interval([0.1, 0.1]) is None
    assert t_test([0.1]) is None
    assert t_test([0.1, 0.1]) is None
