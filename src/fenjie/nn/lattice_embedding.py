"""The tokens of a flat lattice as vectors of one size."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fenjie.nn.encoders.pretrained import Pretrained
from fenjie.nn.lattice import Lattice, TableSizes
from fenjie.nn.lattice_vectors import LatticeVectors


class LatticeEmbedding(LatticeVectors):
    """Vectors of characters and words, each through a projection of its own (FLAT, figure 2)."""

    def __init__(
        self,
        characters: TableSizes,
        bigrams: TableSizes | None,
        words: TableSizes,
        dim: int,
        dropout: float,
        word_dropout: float,
        pretrained: Pretrained | None = None,
    ) -> None:
        """Make tables and projections; all but `dim`, the size of a token, as in the base."""
        super().__init__(characters, bigrams, words, dropout, word_dropout, pretrained)
        self.project_characters = nn.Linear(self.dim, dim)
        self.project_words = nn.Linear(self.word_dim, dim)
        for linear in (self.project_characters, self.project_words):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, lattice: Lattice) -> Tensor:
        """The vectors of all tokens in the order of the lattice: `[tokens, dim]`."""
        characters: Tensor = self.project_characters(self.of_characters(lattice))
        order = lattice.tokens.order
        if len(order) == len(characters):
            return characters
        words = self.project_words(self.of_words(lattice))
        return torch.cat((characters, words)).index_select(0, order)
