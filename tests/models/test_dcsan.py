"""DCSAN gives what its equations give, in float64, gradients included."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from fenjie.models.dcsan import Dcsan, DcsanConfig, Gate
from fenjie.nn.lattice import Lattice
from tests.lattices import BATCHES, SIZES, assert_same, counted, gradients, moved, one, sentences
from tests.reference import dcsan as literal


def build(**settings: int) -> Dcsan:
    torch.manual_seed(3)
    config = DcsanConfig(dim=8, heads=2, hidden=10, cross_heads=4, **settings)
    model: Dcsan = moved(Dcsan(config, SIZES))
    return model


def single(given: Lattice, row: int) -> Lattice:
    """One sentence of a batch with its counts."""
    assert given.counts is not None
    return replace(one(given, row), counts=given.counts[row : row + 1, : int(given.words[row])])


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES.keys())
def test_equations(batch: tuple[tuple[list[int], list[int]], int]) -> None:
    model, given = build(), counted(sentences(*batch[0]), batch[1])
    found = model(given).tags[given.mask]
    rows = range(len(given.lengths))
    expected = torch.cat([literal.scores(model, single(given, row)) for row in rows])
    assert torch.allclose(found, expected, rtol=0, atol=1e-9)
    assert_same(gradients(model, found), gradients(model, expected), 1e-8)


def test_gradients_reach_all_parameters() -> None:
    model, given = build(), counted(sentences([9, 30], [9, 30]), 4)
    reached = gradients(model, model(given).tags[given.mask])
    idle = {name for name, _ in model.named_parameters() if name not in reached}
    assert {name.partition(".")[0] for name in idle} == {"crf"}


def test_a_gate_lies_between_its_inputs() -> None:
    torch.manual_seed(0)
    x, y = torch.randn(2, 5, 8)
    found = Gate(8)(x, y)
    assert ((found >= torch.minimum(x, y)) & (found <= torch.maximum(x, y))).all()
