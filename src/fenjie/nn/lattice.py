"""The input of a lexicon model: characters, the words that match them, and their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.nn.dropout import Dropout
from fenjie.nn.embeddings import TrainedTable
from fenjie.text.vocabulary import UNKNOWN, Ids, collate


class Place(NamedTuple):
    """Where a sentence lies among all tokens of a batch, which stand one behind the other.

    Attributes:
        first: the index of its first token.
        characters: the number of its characters, which come first.
        words: the number of its words, which follow.
    """

    first: int
    characters: int
    words: int


@dataclass(frozen=True)
class Lattice:
    """Sentences of different lengths side by side, each with the words found in it.

    Exactly one of `vectors` and `word` is given; without words, either may be empty.

    Attributes:
        ids: `[batch, length, columns]`, int64: character ids, then bigram ids; 0 = padding.
        lengths: `[batch]`, int64: the number of characters of each sentence.
        start: `[batch, words]`, int64: the index of a word's first character.
        end: `[batch, words]`, int64: the index of its last character (inclusive).
        words: `[batch]`, int64: the number of words of each sentence.
        vectors: `[batch, words, word_dim]`: the vectors of the words.
        word: `[batch, words]`, int64: the rows of the words in the model's own table.
    """

    ids: Tensor
    lengths: Tensor
    start: Tensor
    end: Tensor
    words: Tensor
    vectors: Tensor | None = None
    word: Tensor | None = None

    def __post_init__(self) -> None:
        """Check what is given.

        Raises:
            FenjieError: both of `vectors` and `word` are given, or neither.
        """
        if (self.vectors is None) == (self.word is None):
            raise FenjieError("a lattice needs either the vectors of its words or their rows")

    @classmethod
    def of(
        cls,
        ids: Sequence[Ids],
        start: Sequence[NDArray[np.int64]],
        end: Sequence[NDArray[np.int64]],
        *,
        vectors: Sequence[NDArray[np.float32]] | None = None,
        word: Sequence[NDArray[np.int64]] | None = None,
    ) -> Lattice:
        """Pad some sentences to one batch.

        Args:
            ids: the id table of each sentence, `[length, columns]`.
            start: the first characters of its words, `[words]`.
            end: the last characters of its words (inclusive), `[words]`.
            vectors: the vectors of its words, `[words, word_dim]`.
            word: the rows of its words in the model's table, `[words]`.

        Raises:
            FenjieError: there are no sentences, or not exactly one of `vectors` and `word`.
        """
        return cls(
            ids=torch.from_numpy(collate(ids)),
            lengths=torch.tensor([len(row) for row in ids]),
            start=torch.from_numpy(collate(start)),
            end=torch.from_numpy(collate(end)),
            words=torch.tensor([len(row) for row in start]),
            vectors=None
            if vectors is None
            else nn.utils.rnn.pad_sequence([torch.from_numpy(row) for row in vectors], True),
            word=None if word is None else torch.from_numpy(collate(word)),
        )

    @cached_property
    def mask(self) -> Tensor:
        """Which positions hold a character: `[batch, length]`, bool."""
        return _filled(self.lengths, self.ids.shape[1])

    @cached_property
    def word_mask(self) -> Tensor:
        """Which places hold a word: `[batch, words]`, bool."""
        return _filled(self.words, self.start.shape[1])

    def to(self, device: torch.device | str) -> Lattice:
        """The same lattice on another device."""
        return Lattice(
            self.ids.to(device),
            self.lengths.to(device),
            self.start.to(device),
            self.end.to(device),
            self.words.to(device),
            None if self.vectors is None else self.vectors.to(device),
            None if self.word is None else self.word.to(device),
        )

    def without_words(self) -> Lattice:
        """The same sentences without words."""
        none = self.start[:, :0]
        return Lattice(self.ids, self.lengths, none, none, torch.zeros_like(self.words), word=none)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where each sentence lies when all tokens stand one behind the other."""
        made, first = [], 0
        for characters, words in zip(self.lengths.tolist(), self.words.tolist(), strict=True):
            made.append(Place(first, characters, words))
            first += characters + words
        return tuple(made)

    @cached_property
    def order(self) -> Tensor:
        """Which token stands where, without padding: `[tokens]`.

        An index counts all characters of the batch first, then all words.
        """
        sentence = torch.arange(len(self.lengths), device=self.lengths.device)
        owner = torch.cat(
            (sentence.repeat_interleave(self.lengths), sentence.repeat_interleave(self.words))
        )
        return torch.argsort(owner, stable=True)

    @cached_property
    def heads(self) -> Tensor:
        """The first character of each token: `[tokens]`."""
        position = torch.arange(self.ids.shape[1], device=self.ids.device).expand_as(self.mask)
        return torch.cat((position[self.mask], self.start[self.word_mask]))[self.order]

    @cached_property
    def sizes(self) -> Tensor:
        """The length of each token in characters: `[tokens]`."""
        words = (self.end - self.start + 1)[self.word_mask]
        return torch.cat((words.new_ones(int(self.mask.sum())), words))[self.order]

    @cached_property
    def characters(self) -> Tensor:
        """The indices of the characters among all tokens: `[characters]`."""
        return torch.cat([torch.arange(p.first, p.first + p.characters) for p in self.places]).to(
            self.ids.device
        )


def _filled(counts: Tensor, room: int) -> Tensor:
    return torch.arange(room, device=counts.device) < counts[:, None]


TableSizes = tuple[int, int, int]
"""The arguments of a `TrainedTable`: rows that learn, rows that do not, the size of a vector."""


class LatticeEmbedding(nn.Module):
    """Vectors of characters and words, each through a projection of its own (FLAT, figure 2)."""

    def __init__(
        self,
        characters: TableSizes,
        bigrams: TableSizes | None,
        words: TableSizes,
        dim: int,
        dropout: float,
        word_dropout: float,
    ) -> None:
        """Make the tables.

        Args:
            characters: the table of the characters.
            bigrams: that of the bigrams; None where the model reads none.
            words: that of the words.
            dim: the size of a token's vector.
            dropout: rate at which numbers of the vectors are dropped.
            word_dropout: rate at which a unit becomes unknown in training.
        """
        super().__init__()
        self.word_dropout = word_dropout
        self.characters = TrainedTable(*characters)
        self.bigrams = None if bigrams is None else TrainedTable(*bigrams)
        self.words = TrainedTable(*words)
        self.dropout = Dropout(dropout)
        inputs = self.characters.dim + (self.bigrams.dim if self.bigrams else 0)
        self.project_characters = nn.Linear(inputs, dim)
        self.project_words = nn.Linear(self.words.dim, dim)
        for linear in (self.project_characters, self.project_words):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, lattice: Lattice) -> Tensor:
        """The vectors of all tokens in the order of the lattice: `[tokens, dim]`."""
        ids = lattice.ids[lattice.mask]
        vectors = self.characters(self._unknown(ids[:, 0]))
        if self.bigrams is not None:
            vectors = torch.cat((vectors, self.bigrams(self._unknown(ids[:, 1]))), dim=-1)
        characters = self.project_characters(self.dropout(vectors))
        if len(lattice.order) == len(ids):
            result: Tensor = characters
            return result
        if lattice.word is not None:
            vectors = self.words(self._unknown(lattice.word[lattice.word_mask]))
        else:
            assert lattice.vectors is not None
            vectors = lattice.vectors[lattice.word_mask]
        words = self.project_words(self.dropout(vectors))
        return torch.cat((characters, words))[lattice.order]

    def _unknown(self, ids: Tensor) -> Tensor:
        """Make ids unknown at random, in training."""
        if not self.training or not self.word_dropout:
            return ids
        chosen = torch.rand(ids.shape, device=ids.device) < self.word_dropout
        return ids.masked_fill(chosen, UNKNOWN)
