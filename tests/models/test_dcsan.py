"""DCSAN gives what its equations give, in float64, gradients included."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.models.dcsan import Dcsan, DcsanConfig
from fenjie.nn.lattice import Lattice
from tests.lattices import (
    BATCHES,
    SIZES,
    assert_all_learn,
    assert_equations,
    counted,
    moved,
    one,
    sentences,
)
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
    rows = range(len(given.lengths))
    expected = torch.cat([literal.scores(model, single(given, row)) for row in rows])
    assert_equations(model, given, expected)


def test_every_parameter_learns() -> None:
    assert_all_learn(build(), counted(sentences([9, 30], [9, 30]), 4))


def test_heads_that_do_not_divide_the_vectors() -> None:
    for settings, message in (
        ({"dim": 16, "heads": 2, "cross_heads": 6}, "cross_heads 6 do not divide dim 16"),
        ({"dim": 20, "heads": 2}, "heads 8 do not divide dim 20"),
        ({"dim": 16, "heads": 3}, "dim 16 is not an even number for each of 3 heads"),
    ):
        with pytest.raises(FenjieError, match=message):
            DcsanConfig(**settings)
