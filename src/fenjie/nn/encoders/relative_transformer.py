"""An encoder of characters: Transformer layers with relative positions."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.nn.attention.relative import CharacterPattern, RelativeAttention, Sinusoids
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.encoders.layer import Layer, LayerConfig, encode
from fenjie.nn.encoders.windowed import CharacterWindows


@dataclass(frozen=True)
class EncoderConfig(LayerConfig):
    """The settings of the encoder; a model's settings inherit them.

    Attributes:
        sinusoids: the frequencies of relative positions: of the whole `model`, a slice for each
            head, or of a `head`, the same for all. Windows have the former.
    """

    sinusoids: Sinusoids = "model"

    def __post_init__(self) -> None:
        """Raise a FenjieError where a head would have an odd size."""
        if self.dim % (2 * self.heads):
            raise FenjieError(
                f"dim {self.dim} is not an even number for each of {self.heads} heads"
            )
        super().__post_init__()


class RelativeEncoder(nn.Module):
    """Layers one after another."""

    def __init__(self, config: EncoderConfig) -> None:
        """Make the layers."""
        super().__init__()
        self.layers = nn.ModuleList(_layer(config) for _ in range(config.layers))

    def forward(self, x: Tensor, mask: Tensor) -> Encoded:
        """Encode sentences: `[batch, length, dim]` to the same, with anything at padding.

        The mask, `[batch, length]`, has one real position at least in each sentence.
        """
        return encode(self.layers, x, CharacterPattern(mask))


def _layer(config: EncoderConfig) -> Layer:
    attention: nn.Module
    if config.windows.rounds:
        attention = CharacterWindows(config)
    else:
        attention = RelativeAttention(config, config.sinusoids)
    # Both are made before the weights of either are drawn: a seed gives the same model as ever.
    widen, narrow = nn.Linear(config.dim, config.hidden), nn.Linear(config.hidden, config.dim)
    for linear in (widen, narrow):
        nn.init.xavier_uniform_(linear.weight)
        nn.init.zeros_(linear.bias)
    return Layer(attention, widen, narrow, config)
