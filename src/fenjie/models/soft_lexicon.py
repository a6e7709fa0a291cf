"""SoftLexicon: characters that know which words begin, go on and end at them.

Ruotian Ma, Minlong Peng, Qi Zhang, Zhongyu Wei and Xuanjing Huang. 2020. Simplify the Usage of
Lexicon in Chinese NER. ACL. Equation and section numbers are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from fenjie.errors import FenjieError
from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, Words
from fenjie.nn.inputs import LatticeVectors
from fenjie.nn.lattice import Lattice
from fenjie.nn.recurrent import BiLstm
from fenjie.nn.soft_lexicon import SETS, WordSets


@dataclass(frozen=True)
class SoftLexiconConfig(TaggerConfig):
    """The settings of SoftLexicon.

    Attributes:
        hidden: size of the hidden vectors of each direction.
        layers: how many layers.
        layer_dropout: rate between two layers.
    """

    hidden: int = 200
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

    @property
    def words(self) -> Words:
        """The words that the model reads: those of one character too, for the set S."""
        return "all"


class SoftLexicon(Tagger):
    """The tagger of the paper, Figure 2."""

    Config = SoftLexiconConfig

    def __init__(self, config: SoftLexiconConfig, sizes: TaggerSizes) -> None:
        """Assemble the model.

        Args:
            config: its settings.
            sizes: what it reads and writes.
        """
        super().__init__(config, sizes.tags, 2 * config.hidden)
        self.config = config
        self.embedding = LatticeVectors(
            sizes.characters,
            sizes.bigrams,
            sizes.words,
            config.embedding_dropout,
            config.word_dropout,
        )
        self.lexicon = WordSets(self.embedding.word_dim)
        dim = self.embedding.dim + SETS * self.embedding.word_dim
        self.encoder = BiLstm(dim, config.hidden, config.layers, config.layer_dropout)

    def forward(self, lattice: Lattice) -> Tensor:
        """The score of each tag of each character: `[batch, length, tags]`; 0 at padding."""
        characters = self.embedding.of_characters(lattice)
        words = self.lexicon(self.embedding.of_words(lattice), lattice)
        # Eq. 8: (characters, dim + 4 * word_dim)
        x = self.encoder.packed(torch.cat((characters, words), dim=-1), lattice.lengths)
        scores: Tensor = self.output(self.output_dropout(x))
        return lattice.pad_characters(scores)
