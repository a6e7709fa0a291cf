"""LR-CNN gives what its equations give, in float64, gradients included."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from fenjie.models.lr_cnn import LrCnn, LrCnnConfig
from tests.lattices import (
    BATCHES,
    SIZES,
    assert_all_learn,
    assert_equations,
    collated,
    moved,
    numbers,
    parts,
    sentences,
)
from tests.reference.lr_cnn import LiteralLrCnn


def small(**settings: Any) -> LrCnn:
    torch.manual_seed(3)
    made: LrCnn = moved(LrCnn(LrCnnConfig(hidden=6, **settings), SIZES))
    return made


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"passes": 1},
        pytest.param({"passes": 3, "layers": 6}, marks=pytest.mark.slow),
        {"backward": False},
    ],
    ids=str,
)
def test_equations(settings: dict[str, Any]) -> None:
    model = small(**settings)
    for batch, _ in BATCHES.values():
        given = sentences(*batch)
        assert_equations(model, given, LiteralLrCnn(model)(given)[given.mask])


def test_every_parameter_learns() -> None:
    assert_all_learn(small(), sentences([9, 14], [12, 25]))


@pytest.mark.parametrize(("size", "read"), [(3, True), (5, False)])
def test_words_longer_than_there_are_layers_are_not_read(size: int, read: bool) -> None:
    model = small()
    ids, *_ = parts(9, 0, 0)
    word = collated((ids, numbers(2), numbers(1 + size), numbers(7)))
    none = collated((ids, numbers(), numbers(), numbers()))
    assert torch.equal(model(word).tags, model(none).tags) != read


def test_rethinking_carries_a_word_further() -> None:
    """A window reaches three characters to each side; with feedback, as many again."""
    ids, *_ = parts(12, 0, 0)
    word = collated((ids, numbers(0), numbers(1), numbers(7)))
    none = collated((ids, numbers(), numbers(), numbers()))
    reached = []
    for passes in (1, 2):
        model = small(passes=passes)
        changed = (model(word).tags - model(none).tags).abs() > 1e-12
        reached.append(int(changed.any(-1)[0].nonzero().max()))
    assert reached[0] < reached[1]
