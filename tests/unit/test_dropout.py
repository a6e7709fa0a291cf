"""Dropout keeps the expectation and follows the seed."""

from __future__ import annotations

import torch

from fenjie.nn.dropout import Dropout


def test_rate_and_scale() -> None:
    torch.manual_seed(0)
    layer = Dropout(0.3).train()
    x = torch.ones(1000, 100, requires_grad=True)
    y = layer(x)
    dropped = (y == 0).double().mean().item()
    assert abs(dropped - 0.3) < 0.01
    assert torch.allclose(y[y != 0], torch.tensor(1 / 0.7), rtol=1e-4)
    y.sum().backward()
    assert torch.equal(x.grad == 0, y == 0)


def test_nothing_happens_in_evaluation_or_at_rate_zero() -> None:
    x = torch.randn(5)
    assert Dropout(0.3).eval()(x) is x
    assert Dropout(0.0).train()(x) is x


def test_the_seed_decides() -> None:
    layer = Dropout(0.5).train()
    draws = []
    for _ in range(2):
        torch.manual_seed(7)
        draws.append(layer(torch.ones(64)))
    assert torch.equal(*draws)
