"""What all Transformer layers of taggers have around their attention."""

from __future__ import annotations

from typing import Protocol

import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.dropout import BitDropout


class LayerConfig(Protocol):
    """The settings of a layer.

    Attributes:
        dim: size of the hidden vectors.
        attention_dropout: rate behind the attention.
        feed_forward_dropout: rate behind each of the two feed-forward maps.
    """

    @property
    def dim(self) -> int: ...
    @property
    def attention_dropout(self) -> float: ...
    @property
    def feed_forward_dropout(self) -> float: ...


class PostNormLayer(nn.Module):
    """Attention, then feed forward, each with a residual connection and a norm behind it."""

    def __init__(
        self,
        attention: nn.Module,
        widen: nn.Linear,
        narrow: nn.Linear,
        config: LayerConfig,
        *,
        residual: bool = True,
    ) -> None:
        """Put a layer together.

        Args:
            attention: what mixes the tokens.
            widen: the first feed-forward map.
            narrow: the second one.
            config: size and dropout.
            residual: whether there are residual connections.
        """
        super().__init__()
        self.residual = residual
        self.attention = attention
        self.attention_dropout = BitDropout(config.attention_dropout)
        self.attention_norm = nn.LayerNorm(config.dim)
        self.widen, self.narrow = widen, narrow
        self.feed_forward_dropout = BitDropout(config.feed_forward_dropout)
        self.feed_forward_norm = nn.LayerNorm(config.dim)

    def behind_attention(self, asking: Tensor, mixed: Tensor) -> Tensor:
        """All of the layer that follows the attention: `[..., dim] -> [..., dim]`.

        Args:
            asking: the vectors of the queries, as they came in.
            mixed: what the attention made of them.
        """
        mixed = self.attention_dropout(mixed)
        asking = self.attention_norm(asking + mixed if self.residual else mixed)
        wide = self.feed_forward_dropout(F.relu(self.widen(asking), inplace=True))
        narrow = self.feed_forward_dropout(self.narrow(wide))
        result: Tensor = self.feed_forward_norm(asking + narrow if self.residual else narrow)
        return result
