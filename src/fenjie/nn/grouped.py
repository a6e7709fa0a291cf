"""Layers that run several encoders of one shape side by side, each with its own parameters.

The first dimension of every tensor is the encoder (the *group*): three directions are one
batched matrix product, not three in a row.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class GroupedLinear(nn.Module):
    """A linear map for each group: `[groups, ..., inputs] -> [groups, ..., outputs]`."""

    def __init__(self, groups: int, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(groups, inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(groups, 1, outputs))
        for weight in self.weight:
            nn.init.xavier_uniform_(weight)

    def forward(self, x: Tensor) -> Tensor:
        flat = torch.baddbmm(self.bias, x.flatten(1, -2), self.weight)
        return flat if x.ndim == 3 else flat.unflatten(1, x.shape[1:-1])


class GroupedLayerNorm(nn.Module):
    """Layer normalisation, a scale and a shift for each group: `[groups, batch, length, dim]`."""

    def __init__(self, groups: int, dim: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(groups, 1, 1, dim))
        self.shift = nn.Parameter(torch.zeros(groups, 1, 1, dim))

    def forward(self, x: Tensor) -> Tensor:
        # Group by group the scale and shift are part of the norm, which then keeps its input alone.
        return torch.stack(
            [
                F.layer_norm(part, part.shape[-1:], scale.flatten(), shift.flatten())
                for part, scale, shift in zip(x, self.scale, self.shift, strict=True)
            ]
        )
