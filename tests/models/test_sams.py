"""The fast SAMS gives what its equations give, in float64, for every setting of Tables 7 to 9."""

from __future__ import annotations

import pytest
import torch

from fenjie.nn.batch import Batch
from tests.reference.sams import LiteralSams
from tests.small_sams import batch, build

SETTINGS = {
    "paper": {},
    "no Gaussian": {"gaussian": False},
    "no direction": {"directional": False},
    "Transformer": {"gaussian": False, "directional": False},
    "no forward encoder": {"directions": ("center", "backward")},
    "no center encoder": {"directions": ("forward", "backward")},
    "no backward encoder": {"directions": ("forward", "center")},
    "no Highway-I": {"highway_input": False},
    "no Highway-O": {"highway_output": False},
    "no highways": {"highway_input": False, "highway_output": False},
    "gate": {"fusion": "gate"},
    "sigma 4": {"sigma": 4.0},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("columns", [1, 2])
def test_equations(settings: dict[str, object], columns: int) -> None:
    model, texts = build(columns, **settings), batch([9, 23, 1, 40], columns)
    final, middle, _ = model(texts)
    literal_final, literal_middle = LiteralSams(model)(texts.ids, texts.lengths)
    real = texts.mask[:, 1:]
    assert torch.allclose(final[real], literal_final[real], rtol=0, atol=1e-6)
    assert (middle is None) == (literal_middle is None)
    if middle is not None:
        assert torch.allclose(middle[real], literal_middle[real], rtol=0, atol=1e-6)


def test_gradients_are_those_of_the_equations() -> None:
    model, texts = build(), batch([9, 23])
    gold = (torch.arange(22) % 3 == 0).long().expand(2, -1).masked_fill(~texts.mask[:, 1:], -100)
    model.loss(model(texts), gold).backward()
    fast = {name: p.grad.clone() for name, p in model.named_parameters()}
    model.zero_grad()
    final, middle = LiteralSams(model)(texts.ids, texts.lengths)
    real = gold != -100
    loss = sum(
        -torch.log_softmax(scores[real], -1).gather(-1, gold[real][:, None]).mean()
        for scores in (final, middle)
    )
    loss.backward()
    for name, parameter in model.named_parameters():
        assert torch.allclose(fast[name], parameter.grad, rtol=0, atol=1e-6), name


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_padding_and_batching_change_nothing(settings: dict[str, object]) -> None:
    model, texts = build(**settings), batch([9, 23, 1, 250])
    scores = model(texts)
    for row, length in enumerate(texts.lengths.tolist()):
        alone = model(Batch(texts.ids[row : row + 1, :length], texts.lengths[row : row + 1]))
        assert torch.allclose(scores.final[row, : length - 1], alone.final[0], rtol=0, atol=1e-9)
