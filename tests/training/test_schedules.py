"""Learning rates."""

from __future__ import annotations

import pytest

from fenjie.recipe.recipe import TrainingRecipe
from fenjie.training.schedules import inverse, linear, noam, schedule


def test_noam() -> None:
    rate = noam(2.0, 256, 100)
    assert rate(1) == pytest.approx(2 * 256**-0.5 * 100**-1.5)
    assert rate(100) == pytest.approx(2 * 256**-0.5 * 100**-0.5)
    assert rate(400) == pytest.approx(rate(100) / 2)
    assert max(range(1, 1000), key=rate) == 100


def test_linear() -> None:
    rate = linear(0.5, 10, 110)
    assert rate(5) == pytest.approx(0.25)
    assert rate(10) == pytest.approx(0.5)
    assert 0 < rate(110) < rate(109) < rate(11) < 0.5
    assert rate(111) == 0
    assert linear(0.5, 0, 9)(1) == pytest.approx(0.45)
    assert linear(0.5, 20, 10)(10) == pytest.approx(0.25), "a run shorter than its warm-up"


def test_inverse() -> None:
    rate = inverse(0.3, 0.5, epochs=[2, 2, 3], warmup=3)
    factors = [1 / 3, 2 / 3, 1 / 1.5, 1 / 1.5, 1 / 2, 1 / 2, 1 / 2]
    assert [rate(step) / 0.3 for step in range(1, 8)] == pytest.approx(factors)
    assert inverse(0.3, 0.5, epochs=[2], warmup=0)(1) == 0.3


def test_by_name() -> None:
    def settings(name: str, **values: float) -> TrainingRecipe:
        return TrainingRecipe(schedule=name, learning_rate=1.0, **({"warmup": 4} | values))

    epochs = [3, 3, 3]
    assert schedule(settings("noam"), epochs, dim=16)(4) == noam(1.0, 16, 4)(4)
    assert schedule(settings("linear"), epochs, dim=0)(6) == linear(1.0, 4, 9)(6)
    constant = schedule(settings("constant"), epochs, dim=0)
    assert [constant(step) for step in (1, 4, 6, 99)] == [0.25, 1, 1, 1]
    assert schedule(settings("constant", warmup=0), epochs, dim=0)(1) == 1
    named = settings("inverse", decay=0.1, warmup_epochs=2.0)
    assert schedule(named, epochs, dim=0)(5) == inverse(1.0, 0.1, epochs, 6)(5)
    short = settings("noam", warmup_epochs=0.1)
    assert schedule(short, epochs, dim=16)(4) == noam(1.0, 16, 1)(4), "a step at least"
