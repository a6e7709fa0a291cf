"""Both dropouts keep the expectation and follow the seed."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch

from fenjie.nn.dropout import BitDropout, Dropout

pytestmark = pytest.mark.parametrize("kind", [BitDropout, Dropout])
Kind = type[BitDropout]


@pytest.mark.parametrize("rate", [0.01, 0.15, 0.3, 0.5, 0.9])
def test_rate_and_scale(kind: Kind, rate: float) -> None:
    torch.manual_seed(0)
    x = torch.ones(1000, 101, requires_grad=True)
    y = kind(rate).train()(x)
    assert abs((y == 0).double().mean().item() - rate) < 0.01
    assert torch.allclose(y[y != 0], torch.tensor(1 / (1 - rate)), rtol=2e-4)
    y.sum().backward()
    assert torch.equal(x.grad, y)


def test_neighbours_are_independent(kind: Kind) -> None:
    torch.manual_seed(0)
    kept = kind(0.5).train()(torch.ones(100_000)).view(-1, 4).bool().double()
    assert torch.allclose(torch.corrcoef(kept.T), torch.eye(4, dtype=torch.float64), atol=0.02)


def test_nothing_happens_in_evaluation_or_at_rate_zero(kind: Kind) -> None:
    x = torch.randn(5)
    assert kind(0.3).eval()(x) is x
    assert kind(0.0).train()(x) is x


def test_a_rate_next_to_one(kind: Kind) -> None:
    y = kind(0.9999999).train()(torch.ones(1000))
    assert torch.isfinite(y).all()


def test_the_seed_decides(kind: Kind) -> None:
    layer = kind(0.5).train()
    draws = []
    for _ in range(2):
        torch.manual_seed(7)
        draws.append(layer(torch.ones(64)))
    assert torch.equal(*draws)
