"""Stacked BiLSTM: segmentation with two LSTMs over characters and bigrams, tag by tag.

Ji Ma, Kuzman Ganchev and David Weiss. 2018. State-of-the-art Chinese Word Segmentation with
Bi-LSTMs. EMNLP.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.lexicon.indexer import Sizes
from fenjie.nn.batch import Batch
from fenjie.nn.decoders.gaps import IGNORED
from fenjie.nn.dropout import Dropout
from fenjie.nn.encoders.stacked_lstm import StackedLstm
from fenjie.ranges import Layers, Rate, Size
from fenjie.text.vocabulary import PADDING

BEGIN, INSIDE, END, SINGLE = range(4)
"""The tags of a character: the first of a word, one within it, the last one, a word by itself."""


@dataclass(frozen=True)
class StackedBilstmConfig:
    """The settings of the stacked BiLSTM; `docs/papers/stacked-bilstm.md` says where they are from.

    Attributes:
        character_dim: size of the vectors of characters.
        bigram_dim: size of the vectors of bigrams, where the vocabulary has any.
        hidden: size of the hidden vectors of each LSTM.
        layers: number of LSTMs; the first one reads from the right, each next one the other way.
        input_dropout: rate on the vectors of characters and bigrams.
        lstm_dropout: rate on the hidden state that goes from step to step, the same numbers at
            each step of a sentence.
    """

    character_dim: Size = 64
    bigram_dim: Size = 64
    hidden: Size = 256
    layers: Layers = 2
    input_dropout: Rate = 0.3
    lstm_dropout: Rate = 0.2


class TaggedGaps(NamedTuple):
    """The scores of a segmenter that tags characters.

    Attributes:
        final: the log-likelihood of each gap, `[batch, length - 1, 2]`; label 1 is a boundary.
        tags: the log-likelihood of each tag, `[batch, length, 4]`; anything at padding.
    """

    final: Tensor
    tags: Tensor


class CharactersWithBigrams(nn.Module):
    """The vector of a character, and beside it that of the bigram that it begins."""

    def __init__(self, sizes: Sizes, config: StackedBilstmConfig) -> None:
        super().__init__()
        self.characters = _table(sizes.characters, config.character_dim)
        self.bigrams = _table(sizes.bigrams, config.bigram_dim) if sizes.bigrams else None
        self.dim = config.character_dim + (config.bigram_dim if sizes.bigrams else 0)

    def forward(self, ids: Tensor) -> Tensor:
        """`[batch, length, columns] -> [batch, length, dim]`."""
        vectors: Tensor = self.characters(ids[..., 0])
        if self.bigrams is None:
            return vectors
        return torch.cat((vectors, self.bigrams(ids[..., 1])), dim=-1)


class StackedBilstm(nn.Module):
    """The segmenter of the paper, Figure 1(b).

    Raises:
        FenjieError: the vocabulary has more than characters and bigrams.
    """

    Config = StackedBilstmConfig

    def __init__(self, config: StackedBilstmConfig, sizes: Sizes) -> None:
        super().__init__()
        if sizes.lexicons or sizes.ngrams or sizes.standards:
            raise FenjieError(
                "the architecture stacked_bilstm reads characters and bigrams of one standard "
                "alone; set no lexicon, words, ngrams or standards"
            )
        self.config = config
        self.embedding = CharactersWithBigrams(sizes, config)
        self.dropout = Dropout(config.input_dropout)
        self.encoder = StackedLstm(
            self.embedding.dim, config.hidden, config.layers, config.lstm_dropout
        )
        self.output = nn.Linear(config.hidden, 4)

    def forward(self, batch: Batch) -> TaggedGaps:
        """Score the tags of every character, and by them every gap."""
        x = self.dropout(self.embedding(batch.ids))
        tags = self.output(self.encoder(x, batch.lengths)).log_softmax(dim=-1)
        return TaggedGaps(gaps_of(tags), tags)

    def loss(self, scores: TaggedGaps, gold: Tensor) -> Tensor:
        """Mean cross entropy over the characters.

        Args:
            scores: the result of `forward`.
            gold: the gaps, `[batch, length - 1]`: 1 for a boundary, 0 for none, `IGNORED` where
                there is no gap.
        """
        tags = tags_of(gold)
        return F.nll_loss(scores.tags.flatten(0, 1), tags.flatten(), ignore_index=IGNORED)


def gaps_of(tags: Tensor) -> Tensor:
    """The scores of gaps by the tags of the characters on both sides.

    A word ends in a gap as far as the left character ends one and the right one begins one.

    Args:
        tags: the log-likelihood of each tag, `[batch, length, 4]`.

    Returns:
        `[batch, length - 1, 2]`.
    """
    left, right = tags[:, :-1], tags[:, 1:]

    def either(side: Tensor, one: int, other: int) -> Tensor:
        return torch.logaddexp(side[..., one], side[..., other])

    within = either(left, BEGIN, INSIDE) + either(right, INSIDE, END)
    between = either(left, END, SINGLE) + either(right, BEGIN, SINGLE)
    return torch.stack((within, between), dim=-1)


def tags_of(gaps: Tensor) -> Tensor:
    """The tags of characters by the decisions of gaps: `[batch, gaps] -> [batch, gaps + 1]`.

    Gaps are 1, 0 or `IGNORED`; a character after the last gap of its sentence is `IGNORED` too.
    """
    first, real = gaps.new_ones(len(gaps), 1), gaps != IGNORED
    begins = torch.cat((first, gaps), dim=1) != 0
    # What follows the last character is IGNORED, which is not 0 either: the word ends there.
    ends = torch.cat((gaps, first), dim=1) != 0
    tags = torch.where(begins, torch.where(ends, SINGLE, BEGIN), torch.where(ends, END, INSIDE))
    return tags.masked_fill(~torch.cat((first.bool(), real), dim=1), IGNORED)


def _table(rows: int, dim: int) -> nn.Embedding:
    table = nn.Embedding(rows, dim, padding_idx=PADDING)
    nn.init.normal_(table.weight, std=dim**-0.5)
    return table
