"""From the ids of a lattice to vectors: the inputs of every tagger."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.dropout import BitDropout
from fenjie.nn.embeddings import TableShape, TrainedTable
from fenjie.nn.encoders.pretrained import Pretrained
from fenjie.nn.lattice import Lattice
from fenjie.text.vocabulary import UNKNOWN


class LatticeVectors(nn.Module):
    """The vectors of characters (with their bigrams, where there are any) and of words.

    A pretrained encoder adds its vector of each character after those of the tables, at the length
    that theirs have, 1: at its own, of ten or more, it would drown them in the first projection.

    Attributes:
        dim: the size of the vector of a character.
        word_dim: the size of the vector of a word.
    """

    def __init__(
        self,
        characters: TableShape | None,
        bigrams: TableShape | None,
        words: TableShape,
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
            pretrained: the encoder.
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
        ids = lattice.of_characters(lattice.ids)
        tables = (self.characters, self.bigrams)
        parts = [
            table(self._unknown(ids[..., column]))
            for column, table in enumerate(tables)
            if table is not None
        ]
        if parts:
            joined = torch.cat(parts, dim=-1) if len(parts) > 1 else parts[0]
            parts = [self.dropout(joined)]
        if self.pretrained is not None:
            vectors = self.pretrained(lattice)
            vectors = F.normalize(vectors, dim=-1) if parts else vectors
            parts.append(self.pretrained.dropout(vectors))
        return torch.cat(parts, dim=-1) if len(parts) > 1 else parts[0]

    def projected_characters(self, lattice: Lattice, linear: nn.Linear) -> Tensor:
        """The vectors of all characters after a linear map: `[characters, dim]`.

        In an export without an encoder, the part of the map that reads a table of characters is
        applied to the table, which is done once for all texts.
        """
        characters = self.characters
        if not torch.compiler.is_exporting() or self.pretrained or characters is None:
            result: Tensor = linear(self.of_characters(lattice))
            return result
        first, *others = linear.weight.split(
            [characters.dim, linear.in_features - characters.dim], 1
        )
        x = F.embedding(lattice.ids[..., 0], F.linear(characters.whole(), first, linear.bias))
        if self.bigrams is not None:
            x = x + F.linear(self.bigrams(lattice.ids[..., 1]), others[0])
        return x

    def of_words(self, lattice: Lattice) -> Tensor:
        """The vectors of all words one after another: `[words, word_dim]`."""
        if lattice.word is not None:
            vectors = self.words(self._unknown(lattice.of_words(lattice.word)))
        else:
            assert lattice.vectors is not None
            vectors = lattice.of_words(lattice.vectors)
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
        characters: TableShape,
        bigrams: TableShape | None,
        words: TableShape,
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
        """The vectors of all tokens in the order of the lattice: `[tokens, dim]`.

        With padding, the characters come first: `[batch, tokens, dim]`.
        """
        characters = self.projected_characters(lattice, self.project_characters)
        if lattice.padded:
            if not lattice.has_words:
                return characters
            words = self.project_words(self.of_words(lattice))
            return torch.cat((characters, words), dim=1)
        order = lattice.tokens.order
        if len(order) == len(characters):
            return characters
        words = self.project_words(self.of_words(lattice))
        return torch.cat((characters, words)).index_select(0, order)
