"""Attention of DCSAN: characters attend to the words of all characters."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.dropout import BitDropout
from fenjie.nn.linear_map import linear


class CrossLatticeAttention(nn.Module):
    """Characters take in what stands at all characters of another sequence."""

    def __init__(self, dim: int, heads: int, dropout: float) -> None:
        """Make the projections.

        Args:
            dim: size of the vectors.
            heads: attention heads, which divide it.
            dropout: rate before each linear map.
        """
        super().__init__()
        self.heads = heads
        self.query, self.keys = linear(dim, dim), linear(dim, 2 * dim)
        self.merge = linear(2 * dim, dim)
        self.dropout = BitDropout(dropout)

    def forward(self, x: Tensor, other: Tensor, mask: Tensor) -> Tensor:
        """Mix the values of the other sequence for each character, and join them to its vector.

        Args:
            x: the vectors of the characters, `[batch, length, dim]`.
            other: those of the other sequence, of the same shape.
            mask: the real characters, `[batch, length]`.

        Returns:
            `[batch, length, dim]`.
        """
        query = self.query(self.dropout(F.relu(x))).unflatten(-1, (self.heads, -1))
        keys = self.keys(self.dropout(F.relu(other)))
        # (B, N, 2D) -> 2 x (B, H, N, D/H)
        key, value = keys.unflatten(-1, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = query.transpose(1, 2) @ key.mT * query.shape[-1] ** -0.5
        weights = scores.masked_fill(~mask[:, None, None], -torch.inf).softmax(dim=-1)
        mixed = (weights @ value).transpose(1, 2).flatten(2)
        result: Tensor = self.merge(self.dropout(torch.cat((x, mixed), dim=-1)))
        return result
