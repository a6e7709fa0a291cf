"""Encoders of several directions (SAMS, section 3)."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.nn.encoders.directional import (
    DirectionalConfig,
    Fusion,
    make_layers,
    make_pattern,
)
from fenjie.nn.encoders.layer import encode

SMALL = {"dim": 8, "layers": 2, "heads": 2, "hidden": 12}


@pytest.mark.parametrize("sigma", [{}, {"gaussian": False}])
def test_an_encoder_does_not_see_what_lies_on_the_other_side(sigma: dict[str, Any]) -> None:
    torch.manual_seed(0)
    config = DirectionalConfig(**SMALL, **sigma)
    layers = make_layers(config, 2).double().eval()
    x = torch.randn(3, 1, 6, 8).double()
    changed = x.clone()
    changed[:, :, 3] += 1
    pattern = make_pattern(config, torch.ones(1, 6, dtype=torch.bool), x)
    same = (encode(layers, x, pattern).x == encode(layers, changed, pattern).x).all(-1)[:, 0]
    forward, center, backward = same.tolist()
    assert forward == [True] * 3 + [False] * 3
    assert backward == [False] * 4 + [True] * 2
    assert not any(center)


def test_each_side_is_joined_with_the_center() -> None:
    encoded = torch.randn(3, 1, 4, 8)
    names = ("forward", "center", "backward")
    found = Fusion(names, 8, gated=False)(encoded)
    assert torch.equal(found[0], encoded[0] + encoded[1])
    assert torch.equal(found[1], encoded[2] + encoded[1])
    assert all(
        torch.equal(side, encoded[1]) for side in Fusion(("center",), 8, False)(encoded[1:2])
    )
    without = Fusion(("forward", "backward"), 8, False)(encoded[:2])
    assert torch.equal(torch.stack(without), encoded[:2])


def test_a_gate_lies_between_its_two_sides() -> None:
    torch.manual_seed(0)
    encoded = torch.randn(3, 1, 4, 8)
    forward, _ = Fusion(("forward", "center", "backward"), 8, gated=True)(encoded)
    low, high = torch.minimum(encoded[0], encoded[1]), torch.maximum(encoded[0], encoded[1])
    assert ((low <= forward) & (forward <= high)).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dim": 9, "heads": 2}, "dim 9 is odd or no multiple of heads 2"),
        ({"directions": ("forward",)}, "one direction alone"),
        ({"directions": ("forward", "forward")}, "directions must differ; found forward, forward"),
    ],
)
def test_settings_that_contradict_each_other(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(FenjieError, match=message):
        DirectionalConfig(**settings)


def test_without_directions_all_see_both_sides() -> None:
    assert DirectionalConfig().sees == ("forward", "center", "backward")
    assert DirectionalConfig(directional=False).sees == ("center",) * 3
