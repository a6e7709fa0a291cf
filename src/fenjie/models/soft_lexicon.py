"""SoftLexicon: characters that know which words begin, go on and end at them.

Ruotian Ma, Minlong Peng, Qi Zhang, Zhongyu Wei and Xuanjing Huang. 2020. Simplify the Usage of
Lexicon in Chinese NER. ACL. With a Transformer as its
encoder, and with windows in that, it is the SoftLexicon of the DSWA paper.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import torch

from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, Words, vectors
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.encoders.bilstm import BiLstm, BiLstmConfig
from fenjie.nn.encoders.relative_transformer import EncoderConfig, RelativeEncoder
from fenjie.nn.fusion.soft_lexicon import SETS, WordSets
from fenjie.nn.lattice import Lattice
from fenjie.nn.linear_map import linear
from fenjie.ranges import Rate


@dataclass(frozen=True)
class SoftLexiconConfig(TaggerConfig, BiLstmConfig):
    """The settings of SoftLexicon, on top of those of its LSTM (`BiLstmConfig`).

    Attributes:
        encoder: `lstm`, both directions, or `transformer`, with relative positions.
        transformer: the settings of the Transformer.
    """

    encoder: Literal["lstm", "transformer"] = "lstm"
    transformer: EncoderConfig = field(default_factory=EncoderConfig)
    output_dropout: Rate = 0.5

    @property
    def words(self) -> Words:
        """The words that the model reads: those of one character too, for the set S."""
        return "all"


class SoftLexicon(Tagger):
    """The tagger of the paper, Figure 2."""

    Config = SoftLexiconConfig

    def __init__(self, config: SoftLexiconConfig, sizes: TaggerSizes) -> None:
        recurrent = config.encoder == "lstm"
        super().__init__(
            config, sizes.tags, 2 * config.hidden if recurrent else config.transformer.dim
        )
        self.config = config
        self.embedding = vectors(config, sizes)
        self.sets = WordSets(self.embedding.word_dim)
        dim = self.embedding.dim + SETS * self.embedding.word_dim
        self.encoder: BiLstm | RelativeEncoder
        if recurrent:
            self.encoder = BiLstm(dim, config.hidden, config.layers, config.layer_dropout)
        else:
            self.project = linear(dim, config.transformer.dim)
            self.encoder = RelativeEncoder(config.transformer)

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[characters, dim]`, or `[batch, length, dim]`."""
        characters = self.embedding.of_characters(lattice)
        words = self.sets(self.embedding.of_words(lattice), lattice)
        # (characters, dim + 4 * word_dim)
        x = torch.cat((characters, words), dim=-1)
        if isinstance(self.encoder, BiLstm):
            return Encoded(self.encoder(x, lattice.lengths))
        x, penalty = self.encoder(lattice.unpacked(self.project(x)), lattice.mask)
        return Encoded(lattice.of_characters(x), penalty)
