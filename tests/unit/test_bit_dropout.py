"""Dropout by bits keeps the expectation and follows the seed."""

from __future__ import annotations

import pytest
import torch

from fenjie.nn.dropout import BitDropout


@pytest.mark.parametrize("rate", [0.01, 0.15, 0.3, 0.5, 0.9])
def test_rate_and_scale(rate: float) -> None:
    torch.manual_seed(0)
    x = torch.ones(1000, 101, requires_grad=True)
    y = BitDropout(rate).train()(x)
    assert abs((y == 0).double().mean().item() - rate) < 0.01
    assert torch.allclose(y[y != 0], torch.tensor(1 / (1 - rate)), rtol=2e-4)
    y.sum().backward()
    assert torch.equal(x.grad, y)


def test_neighbours_are_independent() -> None:
    torch.manual_seed(0)
    kept = BitDropout(0.5).train()(torch.ones(100_000)).view(-1, 4).bool().double()
    assert torch.allclose(torch.corrcoef(kept.T), torch.eye(4, dtype=torch.float64), atol=0.02)


def test_nothing_happens_in_evaluation_or_at_rate_zero() -> None:
    x = torch.randn(5)
    assert BitDropout(0.3).eval()(x) is x
    assert BitDropout(0.0).train()(x) is x


def test_the_seed_decides() -> None:
    layer = BitDropout(0.5).train()
    draws = []
    for _ in range(2):
        torch.manual_seed(7)
        draws.append(layer(torch.ones(64)))
    assert torch.equal(*draws)
