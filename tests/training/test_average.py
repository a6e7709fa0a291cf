"""The exponential moving average of the weights."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from fenjie.training.average import Average


def follow(decay: float, updates: int) -> tuple[nn.Linear, Average, torch.Tensor]:
    torch.manual_seed(0)
    model = nn.Linear(3, 2)
    average = Average(model, decay)
    expected = model.weight.detach().clone()
    for update in range(updates):
        with torch.no_grad():
            model.weight.add_(torch.randn(2, 3))
        average.update()
        now = min(decay, (1 + update) / (10 + update))
        expected = now * expected + (1 - now) * model.weight.detach()
    return model, average, expected


def test_follows_the_formula() -> None:
    _, average, expected = follow(0.5, 30)
    torch.testing.assert_close(average.state()["weight"], expected)


def test_applied_within_the_block_only() -> None:
    model, average, expected = follow(0.9, 5)
    weights = model.weight.detach().clone()
    with pytest.raises(RuntimeError), average.applied():
        torch.testing.assert_close(model.weight.detach(), expected)
        raise RuntimeError
    assert torch.equal(model.weight, weights)
    torch.testing.assert_close(average.state()["weight"], expected)


def test_goes_on_from_its_state() -> None:
    model, average, _ = follow(0.9, 5)
    other = Average(model, 0.9)
    other.load({name: value.clone() for name, value in average.state().items()}, average.updates)
    average.update()
    other.update()
    for name, value in average.state().items():
        assert torch.equal(other.state()[name], value)
