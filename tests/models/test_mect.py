"""MECT gives what its equations give, in float64, gradients included; its components."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.models.mect import Mect, MectConfig
from fenjie.nn.components import ComponentSizes
from tests.lattices import SIZES, assert_all_learn, assert_equations, moved, one, sentences
from tests.reference import mect as literal

PARTS = SIZES._replace(components=ComponentSizes(12, 4))
SMALL: dict[str, Any] = {
    "dim": 8,
    "heads": 2,
    "hidden": 10,
    "component_dim": 6,
    "radical_dim": 5,
    "random_places": 9,
}


def build(**settings: Any) -> Mect:
    """A small model, whose characters have from one to four components."""
    torch.manual_seed(3)
    model: Mect = moved(Mect(MectConfig(**SMALL | settings), PARTS))
    parts = torch.randint(1, 12, (50, 4))
    model.components.parts.copy_(parts * (torch.arange(4) <= torch.arange(50)[:, None] % 4))
    return model


@pytest.mark.parametrize("settings", [{}, {"random_places": 0}, {"random_places": 40}], ids=str)
def test_equations(settings: dict[str, Any]) -> None:
    model, given = build(**settings), sentences([7, 1, 12], [5, 0, 9])
    expected = torch.cat([literal.scores(model, one(given, row)) for row in range(3)])
    assert_equations(model, given, expected)


def test_every_parameter_learns() -> None:
    assert_all_learn(build(), sentences([9, 30], [9, 30]))


def test_components_that_are_padding_do_not_count() -> None:
    model, given = build(), sentences([9], [4])
    before = model(given).tags
    wide = Mect(model.config, PARTS._replace(components=ComponentSizes(12, 7))).double().eval()
    state = model.state_dict()
    parts = torch.zeros(50, 7, dtype=torch.int64)
    parts[:, :4] = state["components.parts"]
    wide.load_state_dict({**state, "components.parts": parts})
    assert torch.allclose(wide(given).tags, before, rtol=0, atol=1e-12)


def test_characters_of_the_same_components_are_alike_in_their_stream() -> None:
    model = build()
    model.components.parts[7] = model.components.parts[8]
    one, other = model.components(torch.tensor([7, 8]))
    assert torch.equal(one, other)


def test_without_components_there_is_no_model() -> None:
    with pytest.raises(FenjieError, match=r"name a file as components in \[vocabulary\]"):
        Mect(MectConfig(), SIZES)
