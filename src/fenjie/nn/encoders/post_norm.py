"""What all Transformer layers of taggers have around their attention."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.dropout import BitDropout


class PostNormLayer(nn.Module):
    """Attention, then feed forward, each with a residual connection and a norm behind it."""

    def __init__(
        self,
        attention: nn.Module,
        widen: nn.Linear,
        narrow: nn.Linear,
        *,
        attention_dropout: float,
        feed_forward_dropout: float,
        residual: bool = True,
    ) -> None:
        """Put a layer together.

        Args:
            attention: what mixes the tokens.
            widen: the first feed-forward map.
            narrow: the second one.
            attention_dropout: rate behind the attention.
            feed_forward_dropout: rate behind each of the two feed-forward maps.
            residual: whether there are residual connections.
        """
        super().__init__()
        self.residual = residual
        self.attention = attention
        self.attention_dropout = BitDropout(attention_dropout)
        self.attention_norm = nn.LayerNorm(narrow.out_features)
        self.widen, self.narrow = widen, narrow
        self.feed_forward_dropout = BitDropout(feed_forward_dropout)
        self.feed_forward_norm = nn.LayerNorm(narrow.out_features)

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
