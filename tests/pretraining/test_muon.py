"""Muon."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch

from fenjie.pretraining.muon import Muon, orthogonal


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(3, 6, 6), (2, 4, 9), (2, 9, 4)])
def test_singular_values_are_near_one(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    torch.manual_seed(1)
    matrices = torch.randn(shape) * 1e-3
    made = orthogonal(matrices, dtype)
    values = torch.linalg.svdvals(made)
    assert made.shape == matrices.shape and made.dtype == torch.float32
    assert values.min() > 0.5 and values.max() < 1.3
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    assert ((left @ right * made).sum((1, 2)) > 0.7 * min(shape[1:])).all()


def test_it_finds_a_minimum() -> None:
    torch.manual_seed(1)
    goals = torch.randn(4, 6), torch.randn(4, 6), torch.randn(5, 3)
    matrices = [torch.zeros_like(goal).requires_grad_() for goal in goals]
    optimizer = Muon(matrices, weight_decay=0.0, dtype=torch.float32)
    for step in range(200):
        optimizer.param_groups[0]["lr"] = 0.1 * (1 - step / 200)
        loss = sum(((m - goal) ** 2).sum() for m, goal in zip(matrices, goals, strict=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1


def test_weights_decay() -> None:
    weight = torch.ones(2, 2, requires_grad=True)
    optimizer = Muon([weight], weight_decay=0.5, dtype=torch.float32)
    optimizer.param_groups[0]["lr"] = 0.1
    weight.grad = torch.zeros(2, 2)
    optimizer.step()
    assert torch.allclose(weight, torch.full((2, 2), 0.95))
