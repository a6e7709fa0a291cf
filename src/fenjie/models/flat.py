"""FLAT: named entities from characters and the words that match them, in a flat lattice.

Xiaonan Li, Hang Yan, Xipeng Qiu and Xuanjing Huang. 2020. FLAT: Chinese NER Using Flat-Lattice
Transformer. ACL. Equation, section and table numbers are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, Words, linear
from fenjie.nn.attention.selections import SelectionConfig
from fenjie.nn.attention.span_pattern import SpanPattern
from fenjie.nn.attention.span_positions import Distances, SpanPositions
from fenjie.nn.attention.span_relative import LatticeAttention
from fenjie.nn.encoders.post_norm import PostNormLayer
from fenjie.nn.encoders.windowed import WindowConfig
from fenjie.nn.encoders.windowed_lattice import LatticeWindows, WindowPattern
from fenjie.nn.lattice import Lattice
from fenjie.nn.lattice_embedding import LatticeEmbedding


@dataclass(frozen=True)
class FlatConfig(TaggerConfig):
    """The settings of FLAT; the defaults are the paper's (Table 5).

    Where the paper is silent, the default is what its released code does.

    Attributes:
        dim: size of the hidden vectors (160 for MSRA and OntoNotes; Table 6 for the others).
        heads: attention heads.
        hidden: inner size of the feed-forward layers.
        layers: how many layers; words are queries in all but the last.
        distances: which distances make R: `four` as in eq. 8; `two` (head to head and tail to
            tail) as in the released code; `head`: R is p(d_hh) itself (FLAT_head, Table 3).
        lexicon: whether there are words at all; without them FLAT is close to TENER.
        self_matched: whether characters see the words that contain them (not in FLAT_msm).
        reach: tokens that are further apart do not see each other (10 in FLAT_mld); 0 for no
            limit. Two spans that overlap are 0 apart; others are as many characters apart as
            there are steps from the nearest character of the one to that of the other.
        scale: whether scores are divided by the root of a head's size, which eq. 11 does not do.
        key_projection: W_k,E of eq. 11; the released code has none.
        output_projection: a linear map behind the attention, as in Vaswani et al. (2017); the
            released code has none.
        residual: residual connections around both sublayers (section 2); in effect the released
            code has none.
        attention_dropout: rate behind the attention.
        feed_forward_dropout: rate behind each of the two feed-forward maps.
        selection: which keys a query keeps; the paper keeps them all.
        windows: the windows of DSWA, which then replace attention over the whole lattice in each
            layer; the residual connection and the norm of the layer stay around them. Not together
            with `reach` or without `self_matched`.

    The released code allows the CRF tags that the scheme forbids, and has no scores for the first
    and the last one (`constrained`, `boundary`).
    """

    dim: int = 160
    heads: int = 8
    hidden: int = 480
    layers: int = 1
    distances: Distances = "four"
    lexicon: bool = True
    self_matched: bool = True
    reach: int = 0
    scale: bool = False
    key_projection: bool = True
    output_projection: bool = True
    residual: bool = True
    attention_dropout: float = 0.0
    feed_forward_dropout: float = 0.15
    selection: SelectionConfig = field(default_factory=SelectionConfig)
    windows: WindowConfig = field(default_factory=WindowConfig)

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            FenjieError: a model cannot have them.
        """
        if self.dim % self.heads or self.dim % 2:
            raise FenjieError(f"dim {self.dim} is not an even multiple of heads {self.heads}")
        if self.layers < 1:
            raise FenjieError(f"layers must be at least 1; found {self.layers}")
        if self.reach < 0:
            raise FenjieError(f"reach must be at least 0; found {self.reach}")
        if self.windows.rounds and (self.reach or not self.self_matched):
            raise FenjieError("windows cannot be combined with reach or self_matched = false")

    @property
    def words(self) -> Words:
        """The words that the model reads."""
        return "long" if self.lexicon else "none"


class FlatLayer(PostNormLayer):
    """A layer whose attention is over the tokens of a lattice."""

    attention: LatticeAttention | LatticeWindows

    def __init__(self, config: FlatConfig) -> None:
        """Make a layer."""
        dim, heads, selection = config.dim, config.heads, config.selection
        how = {
            "scale": config.scale,
            "key_projection": config.key_projection,
            "output_projection": config.output_projection,
        }
        attention: nn.Module
        if config.windows.rounds:
            attention = LatticeWindows(dim, heads, config.windows, selection, **how)
        else:
            attention = LatticeAttention(dim, heads, selection=selection, **how)
        widen, narrow = linear(dim, config.hidden), linear(config.hidden, dim)
        super().__init__(
            attention,
            widen,
            narrow,
            attention_dropout=config.attention_dropout,
            feed_forward_dropout=config.feed_forward_dropout,
            residual=config.residual,
        )

    def forward(
        self, x: Tensor, positions: SpanPositions, pattern: SpanPattern | WindowPattern
    ) -> Tensor:
        """`[tokens, dim] -> [queries, dim]`; the arguments are those of the attention."""
        mixed = self.attention(x, positions, pattern)
        return self.behind_attention(pattern.queries(x), mixed)


class Flat(Tagger):
    """The tagger of the paper, Figure 2."""

    Config = FlatConfig

    def __init__(self, config: FlatConfig, sizes: TaggerSizes) -> None:
        """Assemble the model.

        Args:
            config: its settings.
            sizes: what it reads and writes.
        """
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
        self.layers = nn.ModuleList(FlatLayer(config) for _ in range(config.layers))

    def forward(self, lattice: Lattice) -> Tensor:
        """The score of each tag of each character: `[batch, length, tags]`; 0 at padding."""
        config = self.config
        if not config.lexicon:
            lattice = lattice.without_words()
        x = self.embedding(lattice)
        last = len(self.layers) - 1
        for number, layer in enumerate(self.layers):
            if number == 0 or number == last:
                pattern = self._pattern(lattice, words_ask=number < last)
            x = layer(x, self.positions, pattern)
        scores: Tensor = self.output(self.output_dropout(x))
        return lattice.pad_characters(scores)

    def _pattern(self, lattice: Lattice, *, words_ask: bool) -> SpanPattern | WindowPattern:
        """Who sees whom."""
        config = self.config
        if config.windows.rounds:
            return WindowPattern.make(lattice.tokens, config.windows, words_ask=words_ask)
        return SpanPattern.make(
            lattice.tokens,
            words_ask=words_ask,
            self_matched=config.self_matched,
            reach=config.reach,
        )
