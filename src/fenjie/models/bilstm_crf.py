"""BiLSTM-CRF: named entities from characters and bigrams alone.

Zhiheng Huang, Wei Xu and Kai Yu. 2015. Bidirectional LSTM-CRF Models for Sequence Tagging.
arXiv:1508.01991. Guillaume Lample, Miguel Ballesteros, Sandeep Subramanian, Kazuya Kawakami and
Chris Dyer. 2016. Neural Architectures for Named Entity Recognition. NAACL. With characters and
bigrams as its input it is the character baseline of Zhang and Yang (2018), section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from fenjie.errors import FenjieError
from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, vectors
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.encoders.bilstm import BiLstm
from fenjie.nn.lattice import Lattice


@dataclass(frozen=True)
class BilstmCrfConfig(TaggerConfig):
    """The settings of BiLSTM-CRF.

    Attributes:
        hidden: size of the hidden vectors of each direction.
        layers: how many layers.
        layer_dropout: rate between two layers.
    """

    hidden: int = 100
    layers: int = 1
    layer_dropout: float = 0.5
    output_dropout: float = 0.5

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            FenjieError: a model cannot have them.
        """
        if self.hidden < 1 or self.layers < 1:
            raise FenjieError(
                f"hidden and layers must be at least 1; found {self.hidden} and {self.layers}"
            )


class BilstmCrf(Tagger):
    """Vectors of characters and bigrams, read in both directions, and a CRF."""

    Config = BilstmCrfConfig

    def __init__(self, config: BilstmCrfConfig, sizes: TaggerSizes) -> None:
        """Assemble the model.

        Args:
            config: its settings.
            sizes: what it reads and writes.
        """
        super().__init__(config, sizes.tags, 2 * config.hidden)
        self.config = config
        self.embedding = vectors(config, sizes)
        self.encoder = BiLstm(
            self.embedding.dim, config.hidden, config.layers, config.layer_dropout
        )

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[characters, dim]`."""
        x = self.encoder.packed(self.embedding.of_characters(lattice), lattice.lengths)
        return Encoded(x)
