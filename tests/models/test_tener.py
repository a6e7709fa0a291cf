"""TENER gives what its equations give, in float64, gradients included."""

from __future__ import annotations

import pytest
import torch

from fenjie.models.tener import Tener, TenerConfig
from tests.lattices import SIZES, assert_same, gradients, moved, sentences
from tests.reference import tener as literal


@pytest.mark.parametrize("bigrams", [True, False])
def test_tener(bigrams: bool) -> None:
    config = TenerConfig(dim=12, heads=3, hidden=10)
    sizes = SIZES if bigrams else SIZES._replace(bigrams=None)
    model = moved(Tener(config, sizes))
    given = sentences([7, 1, 4], [0, 0, 0], columns=2 if bigrams else 1)
    found = model(given).tags[given.mask]
    expected = torch.cat(
        [
            literal.tener(model, ids[:length])
            for ids, length in zip(given.ids, given.lengths.tolist(), strict=True)
        ]
    )
    assert torch.allclose(found, expected, rtol=0, atol=1e-9)
    assert_same(gradients(model, found), gradients(model, expected))
