"""A Transformer layer of taggers: attention, then feed forward (Vaswani et al. 2017, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.attention.base import AttentionConfig, HeadsConfig, check_heads
from fenjie.nn.attention.selection import Encoded, Penalty
from fenjie.nn.dropout import BitDropout
from fenjie.ranges import Layers, Rate, Size


@dataclass(frozen=True)
class FeedForwardConfig(HeadsConfig):
    """The settings of a layer around its attention, whichever that is.

    Attributes:
        hidden: inner size of the feed-forward layers.
        residual: whether there are residual connections around both sublayers.
        shared_norm: whether both sublayers share one norm; else each has its own.
        attention_dropout: rate after the attention.
        feed_forward_dropout: rate after each of the two feed-forward maps.
    """

    hidden: Size = 384
    residual: bool = True
    shared_norm: bool = False
    attention_dropout: Rate = 0.0
    feed_forward_dropout: Rate = 0.15

    def __post_init__(self) -> None:
        """Raise a FenjieError where `dim` is odd or no multiple of `heads`."""
        check_heads(self.dim, self.heads)


@dataclass(frozen=True)
class LayerConfig(AttentionConfig, FeedForwardConfig):
    """The settings of layers whose attention has relative positions.

    Attributes:
        layers: number of layers.
    """

    layers: Layers = 1


class Layer(nn.Module):
    """Attention, then feed forward, each followed by a residual connection and a norm."""

    def __init__(
        self, attention: nn.Module, widen: nn.Linear, narrow: nn.Linear, config: FeedForwardConfig
    ) -> None:
        """Put a layer together: `widen` and `narrow` are the feed-forward maps.

        The attention has the signature of `fenjie.nn.attention.base`.
        """
        super().__init__()
        self.residual = config.residual
        self.attention = attention
        self.attention_dropout = BitDropout(config.attention_dropout)
        self.attention_norm = nn.LayerNorm(config.dim)
        self.widen, self.narrow = widen, narrow
        self.wide_dropout = BitDropout(config.feed_forward_dropout)
        self.narrow_dropout = BitDropout(config.feed_forward_dropout)
        self.feed_forward_norm = None if config.shared_norm else nn.LayerNorm(config.dim)

    def forward(self, x: Tensor, pattern: Any) -> Encoded:
        """The vectors of the queries: `[..., dim] -> [..., dim]`.

        Args:
            x: the vectors of all tokens.
            pattern: mask, relative positions and queries of the batch.
        """
        mixed, penalty = self.attention(x, pattern)
        x, mixed = pattern.queries(x), self.attention_dropout(mixed)
        x = self.attention_norm(x + mixed if self.residual else mixed)
        wide = self.wide_dropout(F.relu(self.widen(x), inplace=True))
        narrow = self.narrow_dropout(self.narrow(wide))
        norm = self.attention_norm if self.feed_forward_norm is None else self.feed_forward_norm
        return Encoded(norm(x + narrow if self.residual else narrow), penalty)


def encode(layers: nn.ModuleList, x: Tensor, pattern: Any) -> Encoded:
    """Layers one after another, by one pattern: `[..., dim] -> [..., dim]`."""
    penalty: Penalty = 0.0
    for layer in layers:
        x, cost = layer(x, pattern)
        penalty = penalty + cost
    return Encoded(x, penalty)
