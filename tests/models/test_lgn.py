"""LGN gives what its equations give, in float64, gradients included."""

from __future__ import annotations

import pytest
import torch

from fenjie.models.lgn import Lgn, LgnConfig
from fenjie.nn.lattice import Lattice
from tests.lattices import (
    BATCHES,
    SIZES,
    assert_all_learn,
    assert_equations,
    moved,
    sentences,
)
from tests.reference.lgn import LiteralLgn


def small(**settings: int) -> Lgn:
    torch.manual_seed(3)
    made: Lgn = moved(Lgn(LgnConfig(hidden=6, heads=2, head_dim=3, **settings), SIZES))
    return made


@pytest.mark.parametrize("iterations", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_equations(iterations: int) -> None:
    model = small(iterations=iterations)
    for batch, _ in BATCHES.values():
        given = sentences(*batch)
        assert_equations(model, given, LiteralLgn(model)(given)[given.mask])


def test_every_parameter_learns() -> None:
    assert_all_learn(small(iterations=2), sentences([9, 14], [6, 9]))


def differs(model: Lgn, one: Lattice, other: Lattice) -> list[bool]:
    """Which characters of a sentence have other scores."""
    found: list[bool] = ((model(one).tags - model(other).tags).abs() > 1e-9).any(-1)[0].tolist()
    return found


def test_a_word_is_seen_where_it_ends_and_through_the_relay_everywhere() -> None:
    with_word, without = sentences([8], [1], seed=3), sentences([8], [0], seed=3)
    without.ids[:] = with_word.ids
    model = small(iterations=1)
    for graph in model.graphs:  # without what the relay tells the characters
        graph.characters.gates.weight.data[:, -12:] = 0
    changed = differs(model, with_word, without)
    first, last = int(with_word.start[0, 0]), int(with_word.end[0, 0])
    assert changed == [place in (first, last) for place in range(8)]
    assert all(differs(small(iterations=1), with_word, without))
