"""PLT: named entities from a lattice, in which tokens see their neighbours and a shared pivot.

Mengge Xue, Bowen Yu, Tingwen Liu, Yue Zhang, Erli Meng and Bin Wang. 2020. Porous Lattice
Transformer Encoder for Chinese NER. COLING; before that, 2019, arXiv:1911.02733.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.models.tagger import LexiconTaggerConfig, Tagger, TaggerSizes, vectors
from fenjie.nn.attention.lattice_relations import (
    AFTER,
    BEFORE,
    PivotAttention,
    RelationAttention,
    RelationPattern,
    relations,
)
from fenjie.nn.attention.selection import Encoded, masked_mean
from fenjie.nn.dropout import BitDropout
from fenjie.nn.encoders.bigru import BiGru
from fenjie.nn.encoders.layer import FeedForwardConfig, Layer
from fenjie.nn.lattice import Lattice
from fenjie.nn.linear_map import linear
from fenjie.nn.positions import sinusoids
from fenjie.ranges import Layers, Rate, Size


@dataclass(frozen=True)
class PltConfig(LexiconTaggerConfig, FeedForwardConfig):
    """The settings of PLT, on top of those of its layers; `docs/papers/plt.md` has what is known.

    Attributes:
        layers: number of layers.
        recurrent: size of the hidden vectors of each direction of the GRU.
        porous: whether tokens see neighbours and the pivot alone; else all see all, and there is
            no pivot.
    """

    hidden: Size = 256
    layers: Layers = 1
    recurrent: Size = 100
    porous: bool = True
    attention_dropout: Rate = 0.2
    feed_forward_dropout: Rate = 0.2
    output_dropout: Rate = 0.5


class PivotLayer(nn.Module):
    """The pivot takes in the tokens, between two layers of these."""

    def __init__(self, config: PltConfig) -> None:
        super().__init__()
        self.attention = PivotAttention(config.dim, config.heads)
        self.norm = nn.LayerNorm(config.dim)
        self.dropout = BitDropout(config.attention_dropout)

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
        self.layers = nn.ModuleList(_layer(config) for _ in range(config.layers))
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
            x, _ = layer(x, RelationPattern(relation, seen, pivot))
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


def _layer(config: PltConfig) -> Layer:
    dim, hidden = config.dim, config.hidden
    attention = RelationAttention(dim, config.heads, pivot=config.porous)
    return Layer(attention, linear(dim, hidden), linear(hidden, dim), config)
