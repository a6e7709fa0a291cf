"""Relative positions of spans (FLAT, eq. 4 to 10)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from fenjie.nn.attention.span_positions import PositionKeys, SpanPositions
from fenjie.nn.positions import encodings

DIM = 6
LIKE = torch.zeros(1, dtype=torch.float64)


def literal(module: SpanPositions, offset: int, length: int, key_length: int) -> torch.Tensor:
    """R of a query and a key whose heads are `offset` apart."""
    a, b = length - 1, key_length - 1
    distances = {
        "four": [offset, offset + a, offset - b, offset - b + a],
        "two": [offset, offset - b + a],
        "head": [offset],
    }[module.distances]
    p = encodings(torch.tensor(distances, dtype=torch.float64), DIM)
    return p[0] if module.distances == "head" else torch.relu(module.weight @ p.flatten())


@pytest.mark.parametrize("distances", ["four", "two", "head"])
def test_each_pair_of_positions_has_the_vector_of_equation_8(distances: Any) -> None:
    torch.manual_seed(0)
    module = SpanPositions(DIM, distances).double()
    for length in (1, 3):
        found = module(length, [1, 2, 4], 5, LIKE)
        assert found.shape == (3, 11, DIM)
        for row, key_length in enumerate((1, 2, 4)):
            for r in range(11):  # head_j - head_i = r - 5
                expected = literal(module, 5 - r, length, key_length)
                assert torch.allclose(found[row, r], expected, atol=1e-9)
    offsets, lengths, others = np.array([-4, 0, 7]), np.array([1, 3, 2]), np.array([5, 1, 2])
    pairs = module.pairs(offsets, lengths, others, LIKE)
    for row, values in enumerate(zip(offsets, lengths, others, strict=True)):
        assert torch.allclose(pairs[row], literal(module, *map(int, values)), atol=1e-9)


def test_keys_of_inference_follow_the_weights() -> None:
    torch.manual_seed(0)
    module, project = SpanPositions(DIM, "four"), nn.Linear(DIM, DIM, bias=False)
    keys = PositionKeys(project)
    with torch.no_grad():
        for _ in range(2):
            for reach in (3, 9, 2):
                expected = project(module(2, [1, 3], reach, project.weight))
                assert torch.allclose(keys(module, 2, [1, 3], reach), expected, atol=1e-6)
            project.weight.mul_(2)


def test_keys_of_inference_follow_a_fused_optimiser() -> None:
    """It leaves the versions of the weights as they are."""
    torch.manual_seed(0)
    module, project = SpanPositions(DIM, "four"), nn.Linear(DIM, DIM, bias=False)
    keys, weights = PositionKeys(project), [module.weight, project.weight]
    for weight in weights:
        with torch.no_grad():
            keys(module, 2, [1, 3], 4)
        weight.grad = torch.ones_like(weight)
        torch.optim.Adam([weight], lr=0.1, fused=True).step()
        with torch.no_grad():
            expected = project(module(2, [1, 3], 4, project.weight))
            assert torch.allclose(keys(module, 2, [1, 3], 4), expected, atol=1e-6)
