"""DCSAN: named entities from characters that attend to the words of all characters.

Shan Zhao, Minghao Hu, Zhiping Cai, Haiwen Chen and Fang Liu. 2021. Dynamic Modeling Cross- and
Self-Lattice Attention Network for Chinese NER. AAAI.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, Words, linear, vectors
from fenjie.nn.attention.relative import Sinusoids
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.dropout import BitDropout
from fenjie.nn.encoders.relative_transformer import EncoderConfig, RelativeEncoder
from fenjie.nn.fusion.soft_lexicon import SETS, WordSets
from fenjie.nn.lattice import Lattice
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


class CrossAttention(nn.Module):
    """Characters take in what stands at all characters of another sequence."""

    def __init__(self, dim: int, heads: int, dropout: float) -> None:
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


class Gate(nn.Module):
    """`g = σ(W [tanh(U x); tanh(V y)])`, then `g x + (1 - g) y`, number by number."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.first, self.second = linear(dim, dim), linear(dim, dim)
        self.both = linear(2 * dim, dim)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """`[..., dim]`, twice, to the same."""
        joint = torch.cat((self.first(x).tanh(), self.second(y).tanh()), dim=-1)
        result: Tensor = torch.lerp(y, x, self.both(joint).sigmoid())
        return result


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
        self.cross = CrossAttention(config.dim, config.cross_heads, config.cross_dropout)
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
