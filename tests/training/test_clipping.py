"""Bounds of gradients, the sparse ones beside the same ones dense."""

from __future__ import annotations

from collections.abc import Iterable

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


def dense(parameters: Iterable[nn.Parameter]) -> list[torch.Tensor]:
    found = [parameter.grad for parameter in parameters]
    return [gradient.to_dense() for gradient in found if gradient is not None]


def weights(parts: Iterable[nn.Module]) -> list[nn.Parameter]:
    return [weight for part in parts for weight in part.parameters()]


@pytest.mark.parametrize("most", [0.01, 0.5, 1e3])
def test_the_norm_is_that_of_torch(most: float) -> None:
    theirs, one, other = (weights(gradients(sparse=which)) for which in (False, False, True))
    torch.nn.utils.clip_grad_norm_(theirs, most)
    clip_norm(one, most)
    clip_norm(other, most)
    for right, mine, sparse in zip(dense(theirs), dense(one), dense(other), strict=True):
        assert torch.equal(mine, right)
        torch.testing.assert_close(sparse, right)


def test_values_are_those_of_torch() -> None:
    theirs, mine = (weights(gradients(sparse=which)) for which in (False, True))
    assert max(part.abs().max() for part in dense(theirs)) > 0.05
    torch.nn.utils.clip_grad_value_(theirs, 0.05)
    clip_values(mine, 0.05)
    for right, found in zip(dense(theirs), dense(mine), strict=True):
        torch.testing.assert_close(found, right)


def test_a_weight_without_a_gradient_is_left_aside() -> None:
    table, linear = gradients(sparse=True)
    weight = nn.Parameter(torch.ones(2))
    clip_norm([weight, *linear.parameters()], 1.0)
    clip_values([weight, *table.parameters()], 1.0)
    assert weight.grad is None
