"""Operations that ONNX Runtime does in one go, and PyTorch in several.

An exported program names them; everywhere else they are computed step by step. ONNX Runtime has
had them in every build for CPUs since 1.14.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.onnx.ops import symbolic

EPSILON = 1e-5
"""What a norm adds to the variance, as PyTorch's own."""


def add_and_norm(x: Tensor, y: Tensor, bias: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """The layer norm of `x + y + bias`: `[rows, dim] -> [rows, dim]`.

    Args:
        x: the vectors.
        y: what is added to them.
        bias: added to each row, `[dim]`.
        scale: of the norm, `[dim]`.
        shift: of the norm, `[dim]`.
    """
    if torch.compiler.is_exporting():
        made: Tensor = symbolic(
            "com.microsoft::SkipLayerNormalization",
            (x, y, scale, shift, bias),
            {"epsilon": EPSILON},
            dtype=x.dtype,
            shape=x.shape,
            version=1,
        )
        return made
    normed: Tensor = F.layer_norm(x + y + bias, x.shape[-1:], scale, shift, EPSILON)
    return normed


def scores_of_heads(query: Tensor, key: Tensor) -> Tensor:
    """The products of queries and keys over the root of their size, without moving either.

    `[length, batch, heads, head_dim]` each, to `[batch, heads, length, length]`.
    """
    scale: float = query.shape[-1] ** -0.5
    if torch.compiler.is_exporting():
        length, batch, heads, _ = query.shape
        return _product(
            query,
            key,
            [batch, heads, length, length],
            {"alpha": scale, "transBatchA": 1, "transBatchB": 1, "transB": 1},
        )
    products: Tensor = torch.einsum("ibhd, jbhd -> bhij", query, key)
    return scale * products


def mixed_by_heads(weights: Tensor, value: Tensor) -> Tensor:
    """The values mixed by weights: `[batch, heads, length, head_dim]`.

    Args:
        weights: `[batch, heads, length, length]`.
        value: `[length, batch, heads, head_dim]`.
    """
    if torch.compiler.is_exporting():
        length, batch, heads, dim = value.shape
        return _product(weights, value, [batch, heads, length, dim], {"transBatchB": 1})
    return weights @ value.permute(1, 2, 0, 3)


def _product(a: Tensor, b: Tensor, shape: Sequence[int], settings: Mapping[str, Any]) -> Tensor:
    """A product of stacks of matrices, which are read where they lie: `shape`."""
    made: Tensor = symbolic(
        "com.microsoft::FusedMatMul", (a, b), dict(settings), dtype=a.dtype, shape=shape, version=1
    )
    return made
