"""A Transformer layer of taggers."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.nn.encoders.layer import Layer, LayerConfig

DIM = 4


class Halved(nn.Module):
    """Stands for an attention."""

    def forward(self, x: Tensor, pattern: Any) -> tuple[Tensor, float]:
        return pattern.queries(x) / 2, 0.25


class First:
    """A pattern in which the first two tokens are queries."""

    def queries(self, x: Tensor) -> Tensor:
        return x[..., :2, :]


def layer(**settings: Any) -> Layer:
    torch.manual_seed(0)
    config = LayerConfig(dim=DIM, heads=2, hidden=6, feed_forward_dropout=0.0, **settings)
    return Layer(Halved(), nn.Linear(DIM, 6), nn.Linear(6, DIM), config)


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("shared", [True, False])
def test_both_sublayers_have_a_residual_and_a_norm(residual: bool, shared: bool) -> None:
    module, x = layer(residual=residual, shared_norm=shared), torch.randn(3, 5, DIM)
    for weight in module.parameters():
        nn.init.normal_(weight)
    found, penalty = module(x, First())
    queries = x[:, :2]
    middle = module.attention_norm(queries / 2 + (queries if residual else 0))
    wide = torch.relu(module.widen(middle))
    norm = module.attention_norm if shared else module.feed_forward_norm
    assert norm is not None
    expected = norm(module.narrow(wide) + (middle if residual else 0))
    assert torch.allclose(found, expected, atol=1e-6)
    assert penalty == 0.25
    assert (module.feed_forward_norm is None) == shared


@pytest.mark.parametrize("dim", [9, 10])
def test_a_size_that_heads_cannot_share(dim: int) -> None:
    with pytest.raises(FenjieError, match=f"dim {dim} is odd or no multiple of heads 3"):
        LayerConfig(dim=dim, heads=3)
