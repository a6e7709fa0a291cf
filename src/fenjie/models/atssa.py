"""ATSSA: named entities, each character attending to the keys above a threshold of its own.

Biao Hu, Zhen Huang, Minghao Hu, Ziwen Zhang and Yong Dou. 2022. Adaptive Threshold Selective
Self-Attention for Chinese NER. COLING. Equation, section and table numbers are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, Words, linear, vectors
from fenjie.nn.lattice import Lattice
from fenjie.nn.relative import EncoderConfig, RelativeEncoder
from fenjie.nn.selection import SelectionConfig
from fenjie.nn.word_fusion import Pairs, WordFusion


@dataclass(frozen=True)
class AtssaConfig(TaggerConfig, EncoderConfig):
    """The settings of ATSSA, on top of those of its encoder (`EncoderConfig`).

    Those of `selection` are the paper's (section 5.1). Table 4 changes one of them each: `kind` is
    `dense` (- Selective SA), `keep` 0 (- top-k), `amplification` 1 (- AF), `dynamic` false (- DT).

    Attributes:
        lexicon: whether there is a word fusion layer; without it the model reads characters alone.
    """

    lexicon: bool = True
    selection: SelectionConfig = field(default_factory=lambda: SelectionConfig(kind="threshold"))

    @property
    def words(self) -> Words:
        """The words that the model reads: w_jk with j != k (section 4.2)."""
        return "long" if self.lexicon else "none"


class Atssa(Tagger):
    """The tagger of the paper, Figure 3.

    Characters and words come through a projection each to vectors of one size, as in FLAT. What the
    paper feeds to the context encoder is twice as wide, `[x; x^w]`; residual connections need one
    size, so a linear map brings it back. That map takes the place of an output projection of the
    word fusion.
    """

    Config = AtssaConfig

    def __init__(self, config: AtssaConfig, sizes: TaggerSizes) -> None:
        """Assemble the model.

        Args:
            config: its settings.
            sizes: what it reads and writes.
        """
        super().__init__(config, sizes.tags, config.dim)
        self.config = config
        self.embedding = vectors(config, sizes)
        self.project_characters = linear(self.embedding.dim, config.dim)
        if config.lexicon:
            self.project_words = linear(self.embedding.word_dim, config.dim)
            self.fusion = WordFusion(config.dim, config.heads)
            self.join = linear(2 * config.dim, config.dim)
        self.encoder = RelativeEncoder(config)

    def forward(self, lattice: Lattice) -> Tensor:
        """The score of each tag of each character: `[batch, length, tags]`."""
        x = self.project_characters(self.embedding.of_characters(lattice))
        if self.config.lexicon:
            words = self.project_words(self.embedding.of_words(lattice))
            found = self.fusion(x, words, Pairs.of(lattice))
            x = self.join(torch.cat((x, found), dim=-1))
        x = self.encoder(lattice.pad_characters(x), lattice.mask)
        scores: Tensor = self.output(self.output_dropout(x))
        return scores
