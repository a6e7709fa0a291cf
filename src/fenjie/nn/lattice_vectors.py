"""From the ids of a lattice to vectors: the inputs of every tagger."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fenjie.nn.dropout import BitDropout
from fenjie.nn.embeddings import TrainedTable
from fenjie.nn.encoders.pretrained import Pretrained
from fenjie.nn.lattice import Lattice, TableSizes
from fenjie.text.vocabulary import UNKNOWN


class LatticeVectors(nn.Module):
    """The vectors of characters (with their bigrams, where there are any) and of words.

    A pretrained encoder adds its vector of each character after those of the tables.

    Attributes:
        dim: the size of the vector of a character.
        word_dim: the size of the vector of a word.
    """

    def __init__(
        self,
        characters: TableSizes | None,
        bigrams: TableSizes | None,
        words: TableSizes,
        dropout: float,
        word_dropout: float,
        pretrained: Pretrained | None = None,
    ) -> None:
        """Make the tables.

        Args:
            characters: the table of the characters; None where the encoder alone tells of them.
            bigrams: that of the bigrams; None where the model reads none.
            words: that of the words.
            dropout: rate at which numbers of the vectors are dropped.
            word_dropout: rate at which a unit becomes unknown in training.
            pretrained: the encoder; None for none.
        """
        super().__init__()
        self.word_dropout = word_dropout
        self.characters = None if characters is None else TrainedTable(*characters)
        self.bigrams = None if bigrams is None else TrainedTable(*bigrams)
        self.words = TrainedTable(*words)
        self.dropout = BitDropout(dropout)
        self.pretrained = pretrained
        parts = (self.characters, self.bigrams, pretrained)
        self.dim = sum(part.dim for part in parts if part is not None)
        self.word_dim = self.words.dim

    def of_characters(self, lattice: Lattice) -> Tensor:
        """The vectors of all characters one after another: `[characters, dim]`."""
        ids = lattice.ids[lattice.mask]
        tables = (self.characters, self.bigrams)
        parts = [
            table(self._unknown(ids[:, column]))
            for column, table in enumerate(tables)
            if table is not None
        ]
        if parts:
            joined = torch.cat(parts, dim=-1) if len(parts) > 1 else parts[0]
            parts = [self.dropout(joined)]
        if self.pretrained is not None:
            parts.append(self.pretrained(lattice))
        return torch.cat(parts, dim=-1) if len(parts) > 1 else parts[0]

    def of_words(self, lattice: Lattice) -> Tensor:
        """The vectors of all words one after another: `[words, word_dim]`."""
        if lattice.word is not None:
            vectors = self.words(self._unknown(lattice.word[lattice.word_mask]))
        else:
            assert lattice.vectors is not None
            vectors = lattice.vectors[lattice.word_mask]
        result: Tensor = self.dropout(vectors)
        return result

    def _unknown(self, ids: Tensor) -> Tensor:
        """Make ids unknown at random, in training."""
        if not self.training or not self.word_dropout:
            return ids
        chosen = torch.rand(ids.shape, device=ids.device) < self.word_dropout
        return ids.masked_fill(chosen, UNKNOWN)


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
