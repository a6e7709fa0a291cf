"""BiLSTM-CRF: named entities from characters and bigrams alone.

Zhiheng Huang, Wei Xu and Kai Yu. 2015. Bidirectional LSTM-CRF Models for Sequence Tagging.
arXiv:1508.01991. Guillaume Lample, Miguel Ballesteros, Sandeep Subramanian, Kazuya Kawakami and
Chris Dyer. 2016. Neural Architectures for Named Entity Recognition. NAACL. With characters and
bigrams as its input it is the character baseline of Zhang and Yang (2018), section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, vectors
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.encoders.bilstm import BiLstm, BiLstmConfig
from fenjie.nn.lattice import Lattice
from fenjie.ranges import Rate


@dataclass(frozen=True)
class BilstmCrfConfig(TaggerConfig, BiLstmConfig):
    """The settings of BiLSTM-CRF, on top of those of its layers (`BiLstmConfig`)."""

    output_dropout: Rate = 0.5


class BilstmCrf(Tagger):
    """Vectors of characters and bigrams, read in both directions, and a CRF."""

    Config = BilstmCrfConfig

    def __init__(self, config: BilstmCrfConfig, sizes: TaggerSizes) -> None:
        super().__init__(config, sizes.tags, 2 * config.hidden)
        self.config = config
        self.embedding = vectors(config, sizes)
        self.encoder = BiLstm(
            self.embedding.dim, config.hidden, config.layers, config.layer_dropout
        )

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[characters, dim]`."""
        return Encoded(self.encoder(self.embedding.of_characters(lattice), lattice.lengths))
