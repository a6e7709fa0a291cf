"""The fast lattice LSTM gives what its equations give, in float64, gradients included."""

from __future__ import annotations

import pytest
import torch

from fenjie.models.lattice_lstm import LatticeLstm, LatticeLstmConfig
from fenjie.nn.encoders import lattice_lstm, recurrent_rows
from fenjie.nn.lattice import Lattice
from tests.lattices import SIZES, assert_same, gradients, sentences
from tests.reference.lattice_lstm import LiteralLatticeLstm

BATCHES = {
    "ragged": ([9, 23, 1, 14], [6, 60, 0, 12]),
    "some without words": ([9, 3, 12], [0, 0, 15]),
    "without words": ([5, 2], [0, 0]),
    "one character": ([1], [0]),
    "one sentence": ([12], [40]),
    "equal lengths": ([6, 6, 6], [3, 8, 0]),
}


def build() -> LatticeLstm:
    torch.manual_seed(3)
    model = LatticeLstm(LatticeLstmConfig(hidden=7), SIZES).double().eval()
    with torch.no_grad():  # away from zeros and identities, so that every parameter matters
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


def check(model: LatticeLstm, given: Lattice) -> None:
    scores, literal = model(given).tags, LiteralLatticeLstm(model)(given)
    assert torch.allclose(scores, literal, rtol=0, atol=1e-9)
    assert (scores[~given.mask] == 0).all()
    found, expected = (gradients(model, s[given.mask]) for s in (scores, literal))
    assert_same(found, expected, 1e-8)


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES.keys())
def test_equations(batch: tuple[list[int], list[int]]) -> None:
    check(build(), sentences(*batch))


@pytest.mark.parametrize("trained", [True, False])
def test_vectors_of_words(trained: bool) -> None:
    check(build(), sentences([9, 13], [6, 12], trained=trained))


def test_loops_in_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Away from the CPU, torch computes what numpy computes on it."""
    for module in (lattice_lstm, recurrent_rows):
        monkeypatch.setattr(module, "arrays", lambda *tensors: (torch, list(tensors)))
    check(build(), sentences([9, 23, 1, 14], [6, 60, 0, 12]))


def test_float32_is_close() -> None:
    model, given = build(), sentences([30, 50], [30, 90])
    exact = model(given).tags
    assert torch.allclose(model.float()(given).tags.double(), exact, rtol=0, atol=1e-4)
