"""Linear maps start as they should."""

from __future__ import annotations

from fenjie.nn.linear_map import linear


def test_a_linear_map_starts_with_no_bias() -> None:
    made = linear(30, 20)
    assert not made.bias.any()
    assert made.weight.abs().max() <= (6 / 50) ** 0.5
