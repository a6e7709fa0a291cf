"""PLT gives what its equations give, in float64, gradients included."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.models.plt import Plt, PltConfig
from fenjie.models.tagger import TaggerSizes
from tests.lattices import SIZES, assert_same, gradients, moved, one, sentences
from tests.reference import plt as literal

SMALL: dict[str, Any] = {"dim": 8, "heads": 2, "hidden": 10, "recurrent": 5}


def build(sizes: TaggerSizes = SIZES, **settings: Any) -> Plt:
    torch.manual_seed(3)
    model: Plt = moved(Plt(PltConfig(**SMALL, **settings), sizes))
    return model


@pytest.mark.parametrize("settings", [{}, {"layers": 2}, {"porous": False}], ids=str)
def test_equations(settings: dict[str, Any]) -> None:
    model, given = build(**settings), sentences([7, 1, 12], [5, 0, 9])
    found = model(given).tags[given.mask]
    expected = torch.cat([literal.scores(model, one(given, row)) for row in range(3)])
    assert torch.allclose(found, expected, rtol=0, atol=1e-9)
    assert_same(gradients(model, found), gradients(model, expected), 1e-8)


def test_gradients_reach_all_parameters() -> None:
    model, given = build(layers=2), sentences([9, 30], [9, 30])
    reached = gradients(model, model(given).tags[given.mask])
    idle = {name for name, _ in model.named_parameters() if name not in reached}
    assert {name.partition(".")[0] for name in idle} == {"crf"}


def test_tokens_far_apart_meet_in_the_pivot_alone() -> None:
    model, given, found = build(), sentences([9], [0]), []
    with torch.no_grad():
        model.layers[0].attention.pivot.weight.zero_()
    model.layers[0].register_forward_hook(lambda layer, given, result: found.append(result))
    model(given)
    given.ids[0, 4] = given.ids[0, 4] % 48 + 1
    model(given)
    changed = (found[1] - found[0]).abs().amax(-1)[0] > 1e-9
    assert changed.tolist() == [abs(place - 4) <= 1 for place in range(9)]


def test_heads_that_do_not_fit() -> None:
    with pytest.raises(FenjieError, match="not an even multiple"):
        PltConfig(dim=10, heads=4)
