"""Transformer encoder layers over groups of encoders."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.attention.dense import Attention, Pattern
from fenjie.nn.attention.selection import Encoded, SelectionConfig
from fenjie.nn.dropout import Dropout
from fenjie.nn.grouped import GroupedLayerNorm, GroupedLinear


class FeedForward(nn.Module):
    """Two linear maps with a ReLU between them (Vaswani et al. 2017, eq. 2)."""

    def __init__(self, groups: int, dim: int, hidden: int) -> None:
        super().__init__()
        self.widen = GroupedLinear(groups, dim, hidden)
        self.narrow = GroupedLinear(groups, hidden, dim)

    def forward(self, x: Tensor) -> Tensor:
        """`[groups, batch, length, dim] -> [groups, batch, length, dim]`."""
        # In place, and so not on a view: autograd would copy the whole of it, three times.
        wide = F.relu(self.widen(x.flatten(1, -2)), inplace=True)
        result: Tensor = self.narrow(wide).unflatten(1, x.shape[1:-1])
        return result


class TransformerLayer(nn.Module):
    """Attention, then feed forward, each followed by a residual connection and a norm."""

    def __init__(
        self,
        groups: int,
        dim: int,
        heads: int,
        hidden: int,
        dropout: float,
        selection: SelectionConfig,
    ) -> None:
        super().__init__()
        self.attention = Attention(groups, dim, heads, selection)
        self.attention_norm = GroupedLayerNorm(groups, dim)
        self.feed_forward = FeedForward(groups, dim, hidden)
        self.feed_forward_norm = GroupedLayerNorm(groups, dim)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, pattern: Pattern) -> Encoded:
        """`[groups, batch, length, dim] -> [groups, batch, length, dim]`."""
        mixed, penalty = self.attention(x, pattern)
        x = self.attention_norm(x + self.dropout(mixed))
        x = self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))
        return Encoded(x, penalty)
