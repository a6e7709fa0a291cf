"""An encoder of characters: Transformer layers with relative positions."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.nn.dropout import BitDropout
from fenjie.nn.relative_attention import RelativeAttention, Sinusoids
from fenjie.nn.selection import SelectionConfig
from fenjie.nn.windows import CharacterWindows, WindowConfig

__all__ = ["EncoderConfig", "RelativeAttention", "RelativeEncoder", "RelativeLayer", "Sinusoids"]


@dataclass(frozen=True)
class EncoderConfig:
    """The settings of the encoder; a model's settings inherit them.

    Attributes:
        dim: size of the hidden vectors.
        heads: attention heads.
        hidden: inner size of the feed-forward layers.
        layers: how many layers.
        scale: whether scores are divided by the root of a head's size.
        key_projection: whether keys are projected; else they are slices of the vectors.
        output_projection: whether a linear map joins the heads.
        sinusoids: the frequencies of relative positions: of the whole `model`, a slice for each
            head, or of a `head`, the same for all. Windows have the former.
        attention_dropout: rate behind the attention.
        feed_forward_dropout: rate behind each of the two feed-forward maps.
        selection: which keys a query keeps.
        windows: where there are any, they replace attention over the whole sentence.
    """

    dim: int = 128
    heads: int = 8
    hidden: int = 384
    layers: int = 1
    scale: bool = False
    key_projection: bool = True
    output_projection: bool = True
    sinusoids: Sinusoids = "model"
    attention_dropout: float = 0.0
    feed_forward_dropout: float = 0.15
    selection: SelectionConfig = field(default_factory=SelectionConfig)
    windows: WindowConfig = field(default_factory=WindowConfig)

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            FenjieError: an encoder cannot have them.
        """
        if self.dim % (2 * self.heads):
            raise FenjieError(
                f"dim {self.dim} is not an even number for each of {self.heads} heads"
            )
        if self.layers < 1:
            raise FenjieError(f"layers must be at least 1; found {self.layers}")


class RelativeLayer(nn.Module):
    """Attention, then feed forward, each with a residual connection and a norm behind it."""

    def __init__(self, config: EncoderConfig) -> None:
        """Make a layer."""
        super().__init__()
        dim, heads, selection = config.dim, config.heads, config.selection
        how = {
            "scale": config.scale,
            "key_projection": config.key_projection,
            "output_projection": config.output_projection,
        }
        self.attention: RelativeAttention | CharacterWindows
        if config.windows.rounds:
            self.attention = CharacterWindows(dim, heads, config.windows, selection, **how)
        else:
            self.attention = RelativeAttention(
                dim, heads, selection=selection, sinusoids=config.sinusoids, **how
            )
        self.attention_dropout = BitDropout(config.attention_dropout)
        self.attention_norm = nn.LayerNorm(dim)
        self.widen = nn.Linear(dim, config.hidden)
        self.narrow = nn.Linear(config.hidden, dim)
        for linear in (self.widen, self.narrow):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)
        self.feed_forward_dropout = BitDropout(config.feed_forward_dropout)
        self.feed_forward_norm = nn.LayerNorm(dim)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """`[batch, length, dim]` and the real positions `[batch, length]` to `x`'s shape."""
        mixed = self.attention_dropout(self.attention(x, mask))
        x = self.attention_norm(x + mixed)
        wide = self.feed_forward_dropout(F.relu(self.widen(x), inplace=True))
        narrow = self.feed_forward_dropout(self.narrow(wide))
        result: Tensor = self.feed_forward_norm(x + narrow)
        return result


class RelativeEncoder(nn.Module):
    """Layers one behind the other."""

    def __init__(self, config: EncoderConfig) -> None:
        """Make the layers."""
        super().__init__()
        self.layers = nn.ModuleList(RelativeLayer(config) for _ in range(config.layers))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Encode sentences.

        Args:
            x: `[batch, length, dim]`.
            mask: the real positions, `[batch, length]`, bool; at least one in each sentence.

        Returns:
            `[batch, length, dim]`; anything at padding.
        """
        for layer in self.layers:
            x = layer(x, mask)
        return x
