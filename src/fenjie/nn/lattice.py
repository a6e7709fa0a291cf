"""The input of a tagger: characters, the words that match them, and their vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.lexicon.word_pieces import WordPieceBatch
from fenjie.nn.layout import padded, real_places
from fenjie.text.vocabulary import Ids, collate

Ints = NDArray[np.int64]

TILE = 192
"""Characters per tile: tokens that begin in the same tile stand together."""


@dataclass(frozen=True)
class Tokens:
    """All characters and words of a batch one after another, without padding.

    They stand sentence by sentence; in a sentence tile by tile; and in a tile first its characters
    in order, then the words of two characters that begin in it, of three, and so on.

    Attributes:
        heads: the index of the first character of each token in its sentence, `[tokens]`.
        lengths: the length of each token in characters, `[tokens]`.
        sentences: where each sentence begins, and where the last ends, `[batch + 1]`.
        order: the tokens in this order, `[tokens]`: an index counts all characters of the batch
            first, then all words.
        characters: the positions of the characters, in their order, `[characters]`.
    """

    heads: NDArray[np.int64]
    lengths: NDArray[np.int64]
    sentences: tuple[int, ...]
    order: Tensor
    characters: Tensor

    @classmethod
    def of(cls, lattice: Lattice) -> Tokens:
        """The tokens of a lattice."""
        counts, words = lattice.lengths.cpu().numpy(), lattice.words.cpu().numpy()
        real = np.arange(lattice.start.shape[1]) < words[:, None]
        start, end = (part.cpu().numpy()[real] for part in (lattice.start, lattice.end))
        characters = np.arange(counts.sum()) - (np.cumsum(counts) - counts).repeat(counts)
        heads = np.concatenate((characters, start))
        lengths = np.concatenate((np.ones_like(characters), end - start + 1))
        sentence = np.arange(len(counts))
        owner = np.concatenate((sentence.repeat(counts), sentence.repeat(words)))
        order = np.lexsort((lengths, heads // TILE, owner))
        device = lattice.ids.device
        return cls(
            heads[order],
            lengths[order],
            (0, *np.cumsum(counts + words).tolist()),
            torch.from_numpy(order).to(device),
            torch.from_numpy(np.flatnonzero(order < len(characters))).to(device),
        )


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
        counts: `[batch, words]`, float32: the frequency of each word in unlabelled text; 1 where it
            is not known. None where the model does not read it.
        pieces: `[windows, width]`, int64: the word pieces of an encoder; 0 = padding. This and the
            next two are None where the model has no encoder (`fenjie.lexicon.word_pieces`).
        piece_lengths: `[windows]`, int64: the number of pieces of each window.
        piece: `[batch, length, parts]`, int64: which of `pieces`, counted row by row, hold each
            character; -1 where there are fewer, and at padding.
    """

    ids: Tensor
    lengths: Tensor
    start: Tensor
    end: Tensor
    words: Tensor
    vectors: Tensor | None = None
    word: Tensor | None = None
    counts: Tensor | None = None
    pieces: Tensor | None = None
    piece_lengths: Tensor | None = None
    piece: Tensor | None = None

    def __post_init__(self) -> None:
        """Raise a FenjieError where both of `vectors` and `word` are given, or neither."""
        if (self.vectors is None) == (self.word is None):
            raise FenjieError("a lattice needs either the vectors of its words or their rows")

    @classmethod
    def of(
        cls,
        ids: Sequence[Ids],
        start: Sequence[NDArray[np.int64]],
        end: Sequence[NDArray[np.int64]],
        *,
        word: Sequence[NDArray[np.int64]],
        counts: Sequence[NDArray[np.float32]] | None = None,
        word_pieces: WordPieceBatch | None = None,
    ) -> Lattice:
        """Pad some sentences to one batch.

        Each argument has an item for each sentence, as the attribute of its name has a row;
        `word_pieces` holds all sentences in word pieces.

        Raises:
            FenjieError: there are no sentences.
        """
        return cls(
            ids=torch.from_numpy(collate(ids)),
            lengths=torch.tensor([len(row) for row in ids]),
            start=torch.from_numpy(collate(start)),
            end=torch.from_numpy(collate(end)),
            words=torch.tensor([len(row) for row in start]),
            word=torch.from_numpy(collate(word)),
            counts=None if counts is None else _side_by_side(counts),
            **pieces_of(word_pieces),
        )

    @cached_property
    def mask(self) -> Tensor:
        """The real characters: `[batch, length]`, bool."""
        return real_places(self.lengths, self.ids.shape[1])

    @cached_property
    def word_mask(self) -> Tensor:
        """The real words: `[batch, words]`, bool."""
        return real_places(self.words, self.start.shape[1])

    @cached_property
    def token_mask(self) -> Tensor:
        """Which places hold a character or, after those, a word: `[batch, length + words]`."""
        return torch.cat((self.mask, self.word_mask), dim=1) if self.has_words else self.mask

    @cached_property
    def edges(self) -> tuple[Tensor, Tensor]:
        """The first and the last character of each token: `[batch, length + words]` each."""
        place = torch.arange(self.ids.shape[1], device=self.ids.device)
        place = place.expand(self.ids.shape[0], -1)
        if not self.has_words:
            return place, place
        return torch.cat((place, self.start), dim=1), torch.cat((place, self.end), dim=1)

    def to(self, device: torch.device | str) -> Lattice:
        """The same lattice on another device."""
        moved = {
            field.name: value.to(device)
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) is not None
        }
        return Lattice(**moved)

    def without_words(self) -> Lattice:
        """The same sentences without words."""
        none = self.start[:, :0]
        return dataclasses.replace(
            self,
            start=none,
            end=none,
            words=torch.zeros_like(self.words),
            vectors=None,
            word=none,
            counts=None,
        )

    @property
    def padded(self) -> bool:
        """Whether models compute with padding; see `fenjie.nn.layout`.

        What below is `[characters, …]` is then `[batch, length, …]`, and what is `[words, …]` is
        `[batch, words, …]`, with any values at padding.
        """
        return padded(self.ids)

    @property
    def has_words(self) -> bool:
        """Whether there is a place for a word."""
        return self.start.shape[1] > 0

    def of_characters(self, x: Tensor) -> Tensor:
        """Rows of characters: `[batch, length, …] -> [characters, …]`."""
        return x if self.padded else x[self.mask]

    def of_words(self, x: Tensor) -> Tensor:
        """Rows of words: `[batch, words, …] -> [words, …]`."""
        return x if self.padded else x[self.word_mask]

    def unpacked(self, x: Tensor) -> Tensor:
        """Pad rows of characters: `[characters, dim] -> [batch, length, dim]`.

        Anything at padding.
        """
        return x if self.padded else _padded(x, self.mask)

    def pad_characters(self, x: Tensor) -> Tensor:
        """Vectors of all characters side by side: `[characters, dim] -> [batch, length, dim]`.

        Padding is 0.
        """
        return _cleared(x, self.mask) if self.padded else _padded(x, self.mask)

    def pad_words(self, x: Tensor) -> Tensor:
        """Vectors of all words likewise: `[words, dim] -> [batch, words, dim]`."""
        return _cleared(x, self.word_mask) if self.padded else _padded(x, self.word_mask)

    @cached_property
    def tokens(self) -> Tokens:
        """The characters and words without padding."""
        return Tokens.of(self)


def pieces_of(word_pieces: WordPieceBatch | None) -> dict[str, Tensor]:
    """Word pieces under the names that a lattice has for them."""
    if word_pieces is None:
        return {}
    pieces, lengths, piece = map(torch.from_numpy, word_pieces)
    return {"pieces": pieces, "piece_lengths": lengths, "piece": piece}


def _side_by_side(rows: Sequence[NDArray[np.float32]]) -> Tensor:
    return nn.utils.rnn.pad_sequence([torch.from_numpy(row) for row in rows], True)


def _padded(x: Tensor, mask: Tensor) -> Tensor:
    padded = x.new_zeros(*mask.shape, x.shape[-1])
    return padded.masked_scatter(mask[..., None], x)


def _cleared(x: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask[..., None], x, 0.0)
