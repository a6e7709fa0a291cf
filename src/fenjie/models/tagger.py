"""What all taggers share: vectors in, the tags of a CRF out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fenjie.nn.attention.selections import forget, penalty
from fenjie.nn.decoders.crf import Crf
from fenjie.nn.decoders.gaps import IGNORED
from fenjie.nn.dropout import BitDropout
from fenjie.nn.encoders.pretrained import Pretrained, PretrainedConfig
from fenjie.nn.lattice import TableSizes
from fenjie.nn.lattice_vectors import LatticeVectors
from fenjie.text.tags import TagSet

Words = Literal["none", "long", "all"]
"""The words that a tagger reads: none; those of two and more characters; those of one too."""


@dataclass(frozen=True)
class TaggerConfig:
    """The settings that all taggers have.

    Attributes:
        embedding_dropout: rate on the vectors of characters, bigrams and words.
        output_dropout: rate before the output layer.
        word_dropout: rate at which a character, bigram or word becomes unknown in training.
        constrained: whether tags that the scheme forbids are impossible for the CRF.
        boundary: whether the CRF scores the first and the last tag.
        pretrained: an encoder whose vectors of the characters stand beside those of the tables.
    """

    embedding_dropout: float = 0.5
    output_dropout: float = 0.3
    word_dropout: float = 0.01
    constrained: bool = True
    boundary: bool = True
    pretrained: PretrainedConfig = field(default_factory=PretrainedConfig)

    @property
    def words(self) -> Words:
        """The words that the model reads."""
        return "none"


class TaggerSizes(NamedTuple):
    """What a tagger reads and writes.

    Attributes:
        characters: the table of the characters.
        bigrams: that of the bigrams, None for none.
        words: that of the words that learn.
        tags: the tags of the entities.
        pretrained: the encoder, None for none.
    """

    characters: TableSizes
    bigrams: TableSizes | None
    words: TableSizes
    tags: TagSet
    pretrained: Pretrained | None = None


class Tagger(nn.Module):
    """The end of every tagger: a linear map to the scores of tags, and a CRF over them.

    A tagger has an `embedding` (`LatticeVectors`), whose tables training starts from
    vectors, and a `forward` from a `Lattice` to scores `[batch, length, tags]`.
    """

    def __init__(self, config: TaggerConfig, tags: TagSet, dim: int) -> None:
        """Make the output layer.

        Args:
            config: the settings.
            tags: what is scored.
            dim: the size of what the encoder gives.
        """
        super().__init__()
        self.tags = tags
        self.output_dropout = BitDropout(config.output_dropout)
        self.output = linear(dim, len(tags))
        self.crf = Crf(tags, constrained=config.constrained, boundary=config.boundary)
        self.register_forward_pre_hook(forget)

    def loss(self, scores: Tensor, gold: Tensor) -> Tensor:
        """Mean over the sentences of the negative log likelihood of their tags.

        Where thresholds select keys, what the kept ones cost comes to it (ATSSA, eq. 19), as the
        last forward pass in training has left it.

        Args:
            scores: `[batch, length, tags]`.
            gold: the tags, `[batch, length]`; `IGNORED` (-100) at padding.
        """
        likelihood = self.crf.loss(scores, gold, (gold != IGNORED).sum(dim=1))
        return likelihood + penalty(self) / len(gold)

    @torch.no_grad()
    def decode(self, scores: Tensor, lengths: Tensor) -> list[NDArray[np.int64]]:
        """The best tags of each sentence (Viterbi), one array a sentence."""
        return self.crf.decode(scores, lengths)


def vectors(config: TaggerConfig, sizes: TaggerSizes) -> LatticeVectors:
    """What a tagger reads: the vectors of characters, bigrams and words."""
    return LatticeVectors(
        sizes.characters,
        sizes.bigrams,
        sizes.words,
        config.embedding_dropout,
        config.word_dropout,
        sizes.pretrained,
    )


def linear(inputs: int, outputs: int) -> nn.Linear:
    """A linear map that starts as Glorot and Bengio (2010) propose, its bias at 0."""
    made = nn.Linear(inputs, outputs)
    nn.init.xavier_uniform_(made.weight)
    nn.init.zeros_(made.bias)
    return made
