"""PLT: named entities from a lattice, in which tokens see their neighbours and a shared pivot.

Mengge Xue, Bowen Yu, Tingwen Liu, Yue Zhang, Erli Meng and Bin Wang. 2020. Porous Lattice
Transformer Encoder for Chinese NER. COLING; before that, 2019, arXiv:1911.02733.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, Words, linear, vectors
from fenjie.nn.attention.base import check_heads
from fenjie.nn.attention.lattice_relations import (
    AFTER,
    BEFORE,
    PivotAttention,
    RelationAttention,
    relations,
)
from fenjie.nn.attention.selection import Encoded, masked_mean
from fenjie.nn.dropout import BitDropout
from fenjie.nn.encoders.bigru import BiGru
from fenjie.nn.lattice import Lattice
from fenjie.nn.positions import sinusoids
from fenjie.ranges import Layers, Rate, Size


@dataclass(frozen=True)
class PltConfig(TaggerConfig):
    """The settings of PLT; `docs/papers/plt.md` says which of them are known.

    Attributes:
        dim: size of the vectors of tokens.
        heads: attention heads.
        hidden: inner size of the feed-forward layers.
        layers: number of layers.
        recurrent: size of the hidden vectors of each direction of the GRU.
        porous: whether tokens see neighbours and the pivot alone; else all see all, and there is
            no pivot.
        layer_dropout: rate after the attention and after each of the two feed-forward maps.
    """

    dim: Size = 128
    heads: Size = 8
    hidden: Size = 256
    layers: Layers = 1
    recurrent: Size = 100
    porous: bool = True
    layer_dropout: Rate = 0.2
    output_dropout: Rate = 0.5

    def __post_init__(self) -> None:
        """Raise a FenjieError where `dim` is no even multiple of `heads`."""
        check_heads(self.dim, self.heads)

    @property
    def words(self) -> Words:
        """The words that the model reads."""
        return "long"


class PorousLayer(nn.Module):
    """Attention among the tokens, then feed forward."""

    def __init__(self, config: PltConfig) -> None:
        super().__init__()
        dim = config.dim
        self.attention = RelationAttention(dim, config.heads, pivot=config.porous)
        self.widen, self.narrow = linear(dim, config.hidden), linear(config.hidden, dim)
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.dropout = BitDropout(config.layer_dropout)

    def forward(self, x: Tensor, pivot: Tensor | None, relation: Tensor, seen: Tensor) -> Tensor:
        """The new vectors of the tokens: `[batch, tokens, dim] -> [batch, tokens, dim]`."""
        mixed = self.attention(x, pivot, relation, seen)
        x = self.attention_norm(x + self.dropout(mixed))
        wide = self.dropout(F.relu(self.widen(x)))
        result: Tensor = self.feed_forward_norm(x + self.dropout(self.narrow(wide)))
        return result


class PivotLayer(nn.Module):
    """The pivot takes in the tokens, between two layers of these."""

    def __init__(self, config: PltConfig) -> None:
        super().__init__()
        self.attention = PivotAttention(config.dim, config.heads)
        self.norm = nn.LayerNorm(config.dim)
        self.dropout = BitDropout(config.layer_dropout)

    def forward(self, pivot: Tensor, x: Tensor, mask: Tensor) -> Tensor:
        """The new vector of the pivot, from it and `[batch, tokens, dim]`: `[batch, dim]`."""
        result: Tensor = self.norm(pivot + self.dropout(self.attention(pivot, x, mask)))
        return result


class Plt(Tagger):
    """The tagger of the paper: lattice input, porous layers, a GRU in both directions, a CRF."""

    Config = PltConfig

    def __init__(self, config: PltConfig, sizes: TaggerSizes) -> None:
        super().__init__(config, sizes.tags, 2 * config.recurrent)
        self.config = config
        self.embedding = vectors(config, sizes)
        self.project_characters = linear(self.embedding.dim, config.dim)
        self.project_words = linear(self.embedding.word_dim, config.dim)
        self.layers = nn.ModuleList(PorousLayer(config) for _ in range(config.layers))
        between = config.layers - 1 if config.porous else 0
        self.pivots = nn.ModuleList(PivotLayer(config) for _ in range(between))
        self.gru = BiGru(config.dim, config.recurrent)

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[characters, 2 * recurrent]`."""
        x, mask, relation = self._tokens(lattice), lattice.token_mask, relations(lattice)
        seen = mask[:, None].expand_as(relation)
        pivot = None
        if self.config.porous:
            near = (relation != BEFORE) & (relation != AFTER)
            seen, pivot = seen & near, masked_mean(x, mask)[:, 0]
        for number, layer in enumerate(self.layers):
            if number and pivot is not None:
                pivot = self.pivots[number - 1](pivot, x, mask)
            x = layer(x, pivot, relation, seen)
        x = self.gru(x[:, : lattice.ids.shape[1]], lattice.lengths)
        return Encoded(lattice.of_characters(x))

    def _tokens(self, lattice: Lattice) -> Tensor:
        """Characters, then words, each with the position of its head: `[batch, tokens, dim]`."""
        characters = self.embedding.projected_characters(lattice, self.project_characters)
        x = lattice.pad_characters(characters)
        places = sinusoids(x.shape[1], x.shape[2], x)
        x = x + places
        if not lattice.has_words:
            return x
        words = lattice.pad_words(self.project_words(self.embedding.of_words(lattice)))
        return torch.cat((x, words + F.embedding(lattice.start, places)), dim=1)
