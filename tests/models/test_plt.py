"""PLT gives what its equations give, in float64, gradients included."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from fenjie.models.plt import Plt, PltConfig
from fenjie.models.tagger import TaggerSizes
from tests.lattices import SIZES, assert_all_learn, assert_equations, moved, one, sentences
from tests.reference import plt as literal

SMALL: dict[str, Any] = {"dim": 8, "heads": 2, "hidden": 10, "recurrent": 5}


def build(sizes: TaggerSizes = SIZES, **settings: Any) -> Plt:
    torch.manual_seed(3)
    model: Plt = moved(Plt(PltConfig(**SMALL, **settings), sizes))
    return model


@pytest.mark.parametrize("settings", [{}, {"layers": 2}, {"porous": False}], ids=str)
def test_equations(settings: dict[str, Any]) -> None:
    model, given = build(**settings), sentences([7, 1, 12], [5, 0, 9])
    expected = torch.cat([literal.scores(model, one(given, row)) for row in range(3)])
    assert_equations(model, given, expected)


def test_every_parameter_learns() -> None:
    assert_all_learn(build(layers=2), sentences([9, 30], [9, 30]))


def test_tokens_far_apart_meet_in_the_pivot_alone() -> None:
    model, given, found = build(), sentences([9], [0]), []
    with torch.no_grad():
        model.layers[0].attention.pivot.weight.zero_()
    model.layers[0].register_forward_hook(lambda layer, given, result: found.append(result.x))
    model(given)
    given.ids[0, 4] = given.ids[0, 4] % 48 + 1
    model(given)
    changed = (found[1] - found[0]).abs().amax(-1)[0] > 1e-9
    assert changed.tolist() == [abs(place - 4) <= 1 for place in range(9)]
