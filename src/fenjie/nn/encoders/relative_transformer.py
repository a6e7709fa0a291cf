"""An encoder of characters: Transformer layers with relative positions."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.nn.attention.relative import RelativeAttention, Sinusoids
from fenjie.nn.attention.selections import SelectionConfig
from fenjie.nn.encoders.post_norm import PostNormLayer
from fenjie.nn.encoders.windowed import CharacterWindows, WindowConfig

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


class RelativeLayer(PostNormLayer):
    """A layer whose attention is over the characters of a sentence."""

    attention: RelativeAttention | CharacterWindows

    def __init__(self, config: EncoderConfig) -> None:
        """Make a layer."""
        dim, heads, selection = config.dim, config.heads, config.selection
        how = {
            "scale": config.scale,
            "key_projection": config.key_projection,
            "output_projection": config.output_projection,
        }
        attention: nn.Module
        if config.windows.rounds:
            attention = CharacterWindows(dim, heads, config.windows, selection, **how)
        else:
            attention = RelativeAttention(
                dim, heads, selection=selection, sinusoids=config.sinusoids, **how
            )
        widen, narrow = nn.Linear(dim, config.hidden), nn.Linear(config.hidden, dim)
        for linear in (widen, narrow):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)
        super().__init__(
            attention,
            widen,
            narrow,
            attention_dropout=config.attention_dropout,
            feed_forward_dropout=config.feed_forward_dropout,
        )

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """`[batch, length, dim]` and the real positions `[batch, length]` to `x`'s shape."""
        return self.behind_attention(x, self.attention(x, mask))


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
