"""DCSAN: named entities from characters that attend to the words of all characters.

Shan Zhao, Minghao Hu, Zhiping Cai, Haiwen Chen and Fang Liu. 2021. Dynamic Modeling Cross- and
Self-Lattice Attention Network for Chinese NER. AAAI.
"""

from __future__ import annotations

from dataclasses import dataclass

from fenjie.errors import FenjieError
from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, Words, vectors
from fenjie.nn.attention.cross_lattice import CrossLatticeAttention
from fenjie.nn.attention.relative import Sinusoids
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.dropout import BitDropout
from fenjie.nn.encoders.relative_transformer import EncoderConfig, RelativeEncoder
from fenjie.nn.fusion.gates import Gate
from fenjie.nn.fusion.soft_lexicon import SETS, WordSets
from fenjie.nn.lattice import Lattice
from fenjie.nn.linear_map import linear
from fenjie.ranges import Layers, Rate, Size


@dataclass(frozen=True)
class DcsanConfig(TaggerConfig, EncoderConfig):
    """The settings of DCSAN, on top of those of its self-lattice attention (`EncoderConfig`).

    Attributes:
        cross_heads: heads of the cross-lattice attention.
        cross_dropout: rate before each linear map of the cross-lattice attention.
        fusion_dropout: rate after the gate.
    """

    hidden: Size = 256
    layers: Layers = 2
    key_projection: bool = False
    sinusoids: Sinusoids = "head"
    cross_heads: Size = 8
    cross_dropout: Rate = 0.5
    fusion_dropout: Rate = 0.5
    output_dropout: Rate = 0.0

    def __post_init__(self) -> None:
        """Raise a FenjieError where `dim` is no multiple of a number of heads."""
        super().__post_init__()
        if self.dim % self.cross_heads:
            raise FenjieError(f"cross_heads {self.cross_heads} do not divide dim {self.dim}")

    @property
    def words(self) -> Words:
        """The words that the model reads: those of one character too, for the set S."""
        return "all"


class Dcsan(Tagger):
    """The tagger of the paper."""

    Config = DcsanConfig

    def __init__(self, config: DcsanConfig, sizes: TaggerSizes) -> None:
        super().__init__(config, sizes.tags, config.dim)
        self.config = config
        self.embedding = vectors(config, sizes)
        self.sets = WordSets(self.embedding.word_dim)
        self.project_characters = linear(self.embedding.dim, config.dim)
        self.project_words = linear(SETS * self.embedding.word_dim, config.dim)
        self.cross = CrossLatticeAttention(config.dim, config.cross_heads, config.cross_dropout)
        self.gate = Gate(config.dim)
        self.dropout = BitDropout(config.fusion_dropout)
        self.encoder = RelativeEncoder(config)

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[characters, dim]`."""
        characters = self.embedding.projected_characters(lattice, self.project_characters)
        sets = self.sets(self.embedding.of_words(lattice), lattice)
        x = lattice.pad_characters(characters)
        words = lattice.pad_characters(self.project_words(sets))
        crossed = self.cross(x, words, lattice.mask)
        x, penalty = self.encoder(self.dropout(self.gate(crossed, words)), lattice.mask)
        return Encoded(lattice.of_characters(x), penalty)
