"""TENER: named entities from characters, by a Transformer that knows distance and direction.

Hang Yan, Bocao Deng, Xiaonan Li and Xipeng Qiu. 2019. TENER: Adapting Transformer Encoder for Named
Entity Recognition. arXiv:1911.04474. This is its encoder of characters with bigrams, as the paper
uses it for Chinese.
"""

from __future__ import annotations

from dataclasses import dataclass

from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, vectors
from fenjie.nn.attention.relative import Sinusoids
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.encoders.relative_transformer import EncoderConfig, RelativeEncoder
from fenjie.nn.lattice import Lattice
from fenjie.nn.linear_map import linear
from fenjie.ranges import Rate, Size


@dataclass(frozen=True)
class TenerConfig(TaggerConfig, EncoderConfig):
    """The settings of TENER, on top of those of its encoder (`EncoderConfig`).

    Attention is not scaled, keys are slices of the vectors themselves, and all heads have the same
    sinusoids, as in the paper. Sizes and the rate before the output are those of the released code
    for Weibo. That code has no output projection, and adds a product of keys and positions that the
    paper does not write.
    """

    heads: Size = 4
    hidden: Size = 256
    key_projection: bool = False
    sinusoids: Sinusoids = "head"
    output_dropout: Rate = 0.4


class Tener(Tagger):
    """The tagger of the paper, Figure 2."""

    Config = TenerConfig

    def __init__(self, config: TenerConfig, sizes: TaggerSizes) -> None:
        super().__init__(config, sizes.tags, config.dim)
        self.config = config
        self.embedding = vectors(config, sizes)
        self.project = linear(self.embedding.dim, config.dim)
        self.encoder = RelativeEncoder(config)

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[batch, length, dim]`."""
        x = lattice.unpacked(self.embedding.projected_characters(lattice, self.project))
        encoded: Encoded = self.encoder(x, lattice.mask)
        return encoded
