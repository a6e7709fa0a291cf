"""Learning rates."""

from __future__ import annotations

import pytest

from fenjie.errors import FenjieError
from fenjie.training.schedules import constant, linear, noam, schedule


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


def test_constant() -> None:
    assert constant(0.1)(1) == 0.1
    rate = constant(0.1, 4)
    assert [rate(step) for step in (1, 4, 99)] == pytest.approx([0.025, 0.1, 0.1])


def test_by_name() -> None:
    assert schedule("noam", 1.0, 4, total=9, dim=16)(4) == noam(1.0, 16, 4)(4)
    assert schedule("linear", 1.0, 4, total=9, dim=None)(6) == linear(1.0, 4, 9)(6)
    assert schedule("constant", 1.0, 4, total=9, dim=None)(6) == 1.0
    with pytest.raises(FenjieError, match="dim"):
        schedule("noam", 1.0, 4, total=9, dim=None)
