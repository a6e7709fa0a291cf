"""FLAT: named entities from characters and the words that match them, in a flat lattice.

Xiaonan Li, Hang Yan, Xipeng Qiu and Xuanjing Huang. 2020. FLAT: Chinese NER Using Flat-Lattice
Transformer. ACL. Equation, section and table numbers are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import nn

from fenjie.errors import FenjieError
from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, Words
from fenjie.nn.attention.padded_spans import PaddedSpans
from fenjie.nn.attention.selection import Encoded, Penalty
from fenjie.nn.attention.span_pattern import SpanPattern
from fenjie.nn.attention.span_positions import Distances, SpanPositions
from fenjie.nn.attention.span_relative import LatticeAttention
from fenjie.nn.encoders.layer import Layer, LayerConfig
from fenjie.nn.encoders.windowed_lattice import LatticeWindows, WindowPattern
from fenjie.nn.lattice import Lattice
from fenjie.nn.lattice_vectors import LatticeEmbedding
from fenjie.nn.linear_map import linear
from fenjie.ranges import Count, Size


@dataclass(frozen=True)
class FlatConfig(TaggerConfig, LayerConfig):
    """The settings of FLAT, on top of those of its layers; the defaults are the paper's (Table 5).

    The page `docs/papers/flat.md` says what is chosen where the paper is silent. The released code
    differs in `distances`, `residual`, `shared_norm`, `key_projection`, `output_projection` and
    `projection_bias`, and in its CRF, which allows the tags that the scheme forbids and has no
    scores for the first and the last one (`constrained`, `boundary`); `recipes/released` sets
    them all. Table 6 has the sizes for the smaller corpora.

    Attributes:
        distances: which distances make R: `four` as in eq. 8; `two` (head to head and tail to
            tail) as in the released code; `head`: R is p(d_hh) itself (FLAT_head, Table 3).
        lexicon: whether there are words at all; without them FLAT is close to TENER.
        self_matched: whether characters see the words that contain them (not in FLAT_msm).
        reach: tokens that are further apart do not see each other (10 in FLAT_mld); 0 for no
            limit. Two spans that overlap are 0 apart; others are as many characters apart as
            there are steps from the nearest character of the one to that of the other.
        layers: number of layers; words are queries in all but the last.
        windows: the windows of DSWA, which then replace attention over the whole lattice in each
            layer; the residual connection and the norm of the layer stay around them. Not together
            with `reach` or without `self_matched`.
    """

    dim: Size = 160
    hidden: Size = 480
    distances: Distances = "four"
    lexicon: bool = True
    self_matched: bool = True
    reach: Count = 0

    def __post_init__(self) -> None:
        """Raise a FenjieError where windows meet a setting that they cannot have."""
        super().__post_init__()
        if self.windows.rounds and (self.reach or not self.self_matched):
            raise FenjieError("windows cannot be combined with reach or self_matched = false")

    @property
    def words(self) -> Words:
        """The words that the model reads."""
        return "long" if self.lexicon else "none"


class Flat(Tagger):
    """The tagger of the paper, Figure 2."""

    Config = FlatConfig

    def __init__(self, config: FlatConfig, sizes: TaggerSizes) -> None:
        super().__init__(config, sizes.tags, config.dim)
        self.config = config
        self.embedding = LatticeEmbedding(
            sizes.characters,
            sizes.bigrams,
            sizes.words,
            config.dim,
            config.embedding_dropout,
            config.word_dropout,
            sizes.pretrained,
        )
        self.positions = SpanPositions(config.dim, config.distances)
        self.layers = nn.ModuleList(_layer(config) for _ in range(config.layers))

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[characters, dim]`."""
        config = self.config
        if not config.lexicon:
            lattice = lattice.without_words()
        x = self.embedding(lattice)
        last = len(self.layers) - 1
        penalty: Penalty = 0.0
        for number, layer in enumerate(self.layers):
            if number == 0 or number == last:
                pattern = self._pattern(lattice, word_queries=number < last)
            x, cost = layer(x, pattern)
            penalty = penalty + cost
        return Encoded(x, penalty)

    def _pattern(
        self, lattice: Lattice, *, word_queries: bool
    ) -> SpanPattern | WindowPattern | PaddedSpans:
        """The attention pattern of the first layers, or of the last one."""
        config = self.config
        how: dict[str, Any] = {"word_queries": word_queries}
        if not config.windows.rounds:
            how |= {"self_matched": config.self_matched, "reach": config.reach}
        if lattice.padded:
            return PaddedSpans.make(lattice, self.positions, **how)
        tokens = lattice.tokens
        if config.windows.rounds:
            return WindowPattern.make(tokens, self.positions, config.windows, **how)
        return SpanPattern.make(tokens, self.positions, **how)


def _layer(config: FlatConfig) -> Layer:
    windows = bool(config.windows.rounds)
    attention = LatticeWindows(config) if windows else LatticeAttention(config)
    dim, hidden = config.dim, config.hidden
    return Layer(attention, linear(dim, hidden), linear(hidden, dim), config)
