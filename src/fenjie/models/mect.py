"""MECT: named entities from a lattice and the components of its characters, crossed.

Shuang Wu, Xiaoning Song and Zhenhua Feng. 2021. MECT: Multi-Metadata Embedding based
Cross-Transformer for Chinese Named Entity Recognition. ACL.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from fenjie.errors import FenjieError
from fenjie.models.tagger import LexiconTaggerConfig, Tagger, TaggerSizes, vectors
from fenjie.nn.attention.cross import CrossAttention, Crossed
from fenjie.nn.attention.padded_spans import PaddedSpans
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.attention.span_positions import SpanPositions
from fenjie.nn.components import ComponentVectors
from fenjie.nn.dropout import BitDropout
from fenjie.nn.encoders.layer import FeedForwardConfig, Layer
from fenjie.nn.lattice import Lattice
from fenjie.nn.layout import padding
from fenjie.nn.linear_map import linear
from fenjie.ranges import Count, Rate, Size


@dataclass(frozen=True)
class MectConfig(LexiconTaggerConfig, FeedForwardConfig):
    """The settings of MECT, on top of those of its two layers.

    The defaults are those of the released code for Weibo.

    Attributes:
        component_dim: size of the vector of a component, and number of filters.
        radical_dim: size of the vector of a character from its components.
        component_dropout: rate on both of these.
        feed_forward_dropout: rate after the first of the two feed-forward maps.
        feed_forward_output_dropout: rate after the second one.
        random_places: rows and columns of the random attention; 0 for none. Tokens behind them,
            in a sentence of more characters and words, have none.
    """

    component_dim: Size = 30
    radical_dim: Size = 50
    component_dropout: Rate = 0.2
    feed_forward_dropout: Rate = 0.2
    feed_forward_output_dropout: Rate = 0.4
    random_places: Count = 320


class CrossLayer(Layer):
    """A Transformer layer over one stream, with the queries of the other one."""

    def __init__(self, config: MectConfig) -> None:
        dim, hidden = config.dim, config.hidden
        positions = SpanPositions(dim, "two")
        attention = CrossAttention(dim, config.heads, config.random_places)
        super().__init__(attention, linear(dim, hidden), linear(hidden, dim), config)
        self.positions = positions
        self.narrow_dropout = BitDropout(config.feed_forward_output_dropout)

    def crossed(self, x: Tensor, other: Tensor, lattice: Lattice) -> Tensor:
        """The new vectors of the characters of a stream.

        Args:
            x: the vectors of its tokens, `[batch, tokens, dim]`, the characters first.
            other: those of the characters in the other stream, `[batch, length, dim]`.
            lattice: the tokens.

        Returns:
            `[batch, length, dim]`.
        """
        spans = PaddedSpans.make(lattice, self.positions, word_queries=False)
        result: Tensor = self(x, Crossed(other, spans)).x
        return result


class Mect(Tagger):
    """The tagger of the paper, Figure 2.

    Raises:
        FenjieError: there are no components.
    """

    Config = MectConfig

    def __init__(self, config: MectConfig, sizes: TaggerSizes) -> None:
        if sizes.components is None:
            raise FenjieError(
                "MECT needs the components of characters: name a file as components in [vocabulary]"
            )
        super().__init__(config, sizes.tags, 2 * config.dim)
        self.config = config
        self.embedding = vectors(config, sizes)
        rows = sum(sizes.characters[:2])
        dims = config.component_dim, config.radical_dim
        self.components = ComponentVectors(rows, sizes.components, *dims, config.component_dropout)
        self.project_characters = linear(self.embedding.dim, config.dim)
        self.project_words = linear(self.embedding.word_dim, config.dim)
        self.project_components = linear(config.radical_dim, config.dim)
        self.lattice_layer, self.radical_layer = CrossLayer(config), CrossLayer(config)

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters in both streams: `[characters, 2 * dim]`."""
        with padding():
            characters = self.embedding.projected_characters(lattice, self.project_characters)
            tokens = characters
            if lattice.has_words:
                words = self.project_words(self.embedding.of_words(lattice))
                tokens = torch.cat((characters, words), dim=1)
            radicals = self.project_components(self.components(lattice.ids[..., 0]))
            of_lattice = self.lattice_layer.crossed(tokens, radicals, lattice)
            of_radicals = self.radical_layer.crossed(radicals, characters, lattice.without_words())
            joint = torch.cat((of_radicals, of_lattice), dim=-1)
        return Encoded(lattice.of_characters(joint))
