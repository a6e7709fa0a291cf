"""Multi-head attention: which keys a query sees, and how position changes their scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fenjie.nn.grouped import GroupedLinear
from fenjie.nn.positions import gaussian
from fenjie.nn.selection import Direction, directional


@dataclass(frozen=True)
class Pattern:
    """What the attention of all layers shares, made once a batch.

    Attributes:
        factor: multiplied into the scores, `[query, key]`; None for 1.
        bias: added to the scores, 0 or -inf, `[groups, batch, 1, query, key]`.
    """

    factor: Tensor | None
    bias: Tensor

    @classmethod
    def make(
        cls, mask: Tensor, directions: Sequence[Direction], sigma: float | None
    ) -> Pattern:
        """Gaussian weights and directional masks for a batch (SAMS, eq. 2 and 4).

        Padding is hidden behind the Gaussian, so that it never changes a result; a padded query
        sees itself alone.

        Args:
            mask: the real positions, `[batch, length]`, bool.
            directions: the direction of each group.
            sigma: standard deviation of the Gaussian in characters; None for no Gaussian.
        """
        position = torch.arange(mask.shape[1], device=mask.device)
        offset = position - position[:, None]
        seen = directional(directions, offset)[:, None] & mask[:, None, :]
        seen = seen | (offset == 0)
        bias = torch.zeros(seen.shape, device=mask.device).masked_fill_(~seen, -math.inf)
        return cls(None if sigma is None else gaussian(offset, sigma), bias[:, :, None])


class Attention(nn.Module):
    """Multi-head self-attention of several groups side by side (SAMS, eq. 3 and 5)."""

    def __init__(self, groups: int, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.project = GroupedLinear(groups, dim, 3 * dim)
        self.merge = GroupedLinear(groups, dim, dim)

    def forward(self, x: Tensor, pattern: Pattern) -> Tensor:
        """`[groups, batch, length, dim] -> [groups, batch, length, dim]`."""
        # (G, B, N, 3D) -> 3 of (G, B, H, N, D/H)
        query, key, value = (
            self.project(x).unflatten(-1, (3, self.heads, -1)).permute(3, 0, 1, 4, 2, 5)
        )
        scores = (query * self.scale) @ key.transpose(-1, -2)
        if pattern.factor is not None:
            scores = scores * pattern.factor
        weights = torch.softmax(scores + pattern.bias, dim=-1)
        return self.merge((weights @ value).transpose(2, 3).flatten(-2))
