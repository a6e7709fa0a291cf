"""Bounds of gradients, the sparse ones beside the same ones dense."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch
from torch import nn

from fenjie.training.clipping import clip_norm, clip_values


def gradients(sparse: bool) -> tuple[nn.Embedding, nn.Linear]:
    """Those of a table, one row of which is read twice and most not at all, and of a map."""
    torch.manual_seed(1)
    table, linear = nn.Embedding(9, 4, sparse=sparse), nn.Linear(4, 2)
    linear(table(torch.tensor([3, 5, 3]))).square().sum().backward()
    return table, linear


def dense(table: nn.Embedding, linear: nn.Linear) -> list[torch.Tensor]:
    return [table.weight.grad.to_dense(), linear.weight.grad, linear.bias.grad]


@pytest.mark.parametrize("most", [0.01, 0.5, 1e3])
def test_the_norm_is_that_of_torch(most: float) -> None:
    one, other = gradients(sparse=False), gradients(sparse=True)
    theirs = [p for part in gradients(sparse=False) for p in part.parameters()]
    torch.nn.utils.clip_grad_norm_(theirs, most)
    for parts in (one, other):
        clip_norm([p for part in parts for p in part.parameters()], most)
    for mine, right in zip(dense(*one), theirs, strict=True):
        assert torch.equal(mine, right.grad)
    for mine, right in zip(dense(*other), theirs, strict=True):
        torch.testing.assert_close(mine, right.grad)


def test_values_are_those_of_torch() -> None:
    one, other = gradients(sparse=False), gradients(sparse=True)
    assert max(part.abs().max() for part in dense(*one)) > 0.05
    torch.nn.utils.clip_grad_value_([p for part in one for p in part.parameters()], 0.05)
    clip_values([p for part in other for p in part.parameters()], 0.05)
    for mine, right in zip(dense(*other), dense(*one), strict=True):
        torch.testing.assert_close(mine, right)


def test_a_weight_without_a_gradient_is_left_aside() -> None:
    table, linear = gradients(sparse=True)
    weight = nn.Parameter(torch.ones(2))
    clip_norm([weight, *linear.parameters()], 1.0)
    clip_values([weight, *table.parameters()], 1.0)
    assert weight.grad is None
