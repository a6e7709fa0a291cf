"""Lattice LSTM: named entities from characters, whose cells take in those of words that end there.

Yue Zhang and Jie Yang. 2018. Chinese NER Using Lattice LSTM. ACL.
"""

from __future__ import annotations

from dataclasses import dataclass

from fenjie.models.tagger import LexiconTaggerConfig, Tagger, TaggerSizes, vectors
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.encoders.lattice_lstm import LatticeLstm as Encoder
from fenjie.nn.lattice import Lattice
from fenjie.ranges import Rate, Size


@dataclass(frozen=True)
class LatticeLstmConfig(LexiconTaggerConfig):
    """The settings of Lattice LSTM.

    Attributes:
        hidden: size of the hidden vectors of each direction; the 200 of the paper's Table 3 are
            those of both.
    """

    hidden: Size = 100
    output_dropout: Rate = 0.5


class LatticeLstm(Tagger):
    """The tagger of the paper, Figure 3(c)."""

    Config = LatticeLstmConfig

    def __init__(self, config: LatticeLstmConfig, sizes: TaggerSizes) -> None:
        super().__init__(config, sizes.tags, 2 * config.hidden)
        self.config = config
        self.embedding = vectors(config, sizes)
        self.encoder = Encoder(self.embedding.dim, self.embedding.word_dim, config.hidden)

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[characters, dim]`.

        Raises:
            FenjieError: a word has one character alone, or a sentence has two words of the same
                characters.
        """
        characters = self.embedding.of_characters(lattice)
        words = self.embedding.of_words(lattice)
        return Encoded(self.encoder(characters, words, lattice))
