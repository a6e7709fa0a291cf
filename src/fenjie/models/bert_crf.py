"""BERT-CRF and BERT-BiLSTM-CRF: named entities from a pretrained encoder alone.

Jacob Devlin, Ming-Wei Chang, Kenton Lee and Kristina Toutanova. 2019. BERT: Pre-training of Deep
Bidirectional Transformers for Language Understanding. NAACL. The CRF after it, and the BiLSTM
between the two, are those of Lample et al. (2016); the papers on lexicons compare with both.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fenjie.errors import FenjieError
from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.encoders.bilstm import BiLstm
from fenjie.nn.encoders.pretrained import PretrainedConfig
from fenjie.nn.lattice import Lattice
from fenjie.nn.lattice_vectors import LatticeVectors
from fenjie.ranges import Rate, Size

DEFAULT = "hfl/chinese-bert-wwm-ext"
"""BERT with whole-word masking (Cui et al. 2021), the encoder of the papers on lexicons."""


@dataclass(frozen=True)
class BertCrfConfig(TaggerConfig):
    """The settings of BERT-CRF and BERT-BiLSTM-CRF.

    Attributes:
        lstm: whether a BiLSTM reads the vectors of the encoder.
        hidden: size of its hidden vectors in each direction.
    """

    lstm: bool = False
    hidden: Size = 200
    output_dropout: Rate = 0.1
    pretrained: PretrainedConfig = field(default_factory=lambda: PretrainedConfig(DEFAULT))

    def __post_init__(self) -> None:
        """Raise a FenjieError where no encoder is named."""
        if not self.pretrained.name:
            raise FenjieError("pretrained names no encoder, which this model cannot do without")


class BertCrf(Tagger):
    """An encoder, a BiLSTM where one is wanted, and a CRF; no vectors but the encoder's.

    Raises:
        FenjieError: there is no encoder.
    """

    Config = BertCrfConfig

    def __init__(self, config: BertCrfConfig, sizes: TaggerSizes) -> None:
        if sizes.pretrained is None:
            raise FenjieError("BERT-CRF needs a pretrained encoder")
        dim = sizes.pretrained.dim
        super().__init__(config, sizes.tags, 2 * config.hidden if config.lstm else dim)
        self.config = config
        self.embedding = LatticeVectors(None, None, sizes.words, 0.0, 0.0, sizes.pretrained)
        self.encoder = BiLstm(dim, config.hidden) if config.lstm else None

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[characters, dim]`."""
        x = self.embedding.of_characters(lattice)
        if self.encoder is not None:
            x = self.encoder(x, lattice.lengths)
        return Encoded(x)
