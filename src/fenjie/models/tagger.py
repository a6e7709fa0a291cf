"""The base of all taggers: vectors in, the scores of a CRF's tags out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from torch import Tensor, nn

from fenjie.nn.attention.selection import Encoded, Penalty
from fenjie.nn.components import ComponentSizes
from fenjie.nn.decoders.crf import Crf
from fenjie.nn.decoders.gaps import IGNORED
from fenjie.nn.dropout import BitDropout
from fenjie.nn.embeddings import TableShape
from fenjie.nn.encoders.pretrained import Pretrained, PretrainedConfig
from fenjie.nn.lattice import Lattice
from fenjie.nn.lattice_vectors import LatticeVectors
from fenjie.nn.linear_map import linear
from fenjie.ranges import Rate
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

    embedding_dropout: Rate = 0.5
    output_dropout: Rate = 0.3
    word_dropout: Rate = 0.01
    constrained: bool = True
    boundary: bool = True
    pretrained: PretrainedConfig = field(default_factory=PretrainedConfig)

    @property
    def words(self) -> Words:
        """The words that the model reads."""
        return "none"


@dataclass(frozen=True)
class LexiconTaggerConfig(TaggerConfig):
    """The settings of a tagger that reads the words of two and more characters."""

    @property
    def words(self) -> Words:
        """The words that the model reads."""
        return "long"


class TaggerSizes(NamedTuple):
    """The tables and tags of a tagger.

    Attributes:
        characters: the table of the characters.
        bigrams: that of the bigrams, None for none.
        words: that of the words that learn.
        tags: the tags of the entities.
        pretrained: the encoder, None for none.
        components: the components of the characters, None for none.
    """

    characters: TableShape
    bigrams: TableShape | None
    words: TableShape
    tags: TagSet
    pretrained: Pretrained | None = None
    components: ComponentSizes | None = None


class TagScores(NamedTuple):
    """The scores of a tagger.

    Attributes:
        tags: the score of each tag of each character, `[batch, length, tags]`; anything at padding.
        penalty: cost of the keys that thresholds have kept (ATSSA, eq. 19), summed over the
            sentences, the layers and the heads; 0 where there are no thresholds that learn.
    """

    tags: Tensor
    penalty: Penalty = 0.0


class Tagger(nn.Module, ABC):
    """The base of all taggers: from the vectors of an encoder to the scores of tags, and the loss.

    A subclass is made from its settings and the `TaggerSizes`. It has a `Config`, which
    `self.config` holds, an `embedding` (`LatticeVectors`), whose tables training starts from
    vectors, and `encode`. `forward` scores the tags, `loss` is minimised. Decoding needs the
    scores and `crf.table()` alone, and is the same for training's dev scores, PyTorch and an
    exported model: `fenjie.runtime.decoding`.
    """

    def __init__(self, config: TaggerConfig, tags: TagSet, dim: int) -> None:
        """Make the output layer for an encoder whose vectors have the size `dim`."""
        super().__init__()
        self.tags = tags
        self.output_dropout = BitDropout(config.output_dropout)
        self.output = linear(dim, len(tags))
        self.crf = Crf(tags, constrained=config.constrained, boundary=config.boundary)

    @abstractmethod
    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters, before the output layer.

        Returns:
            `[characters, dim]` without padding, or `[batch, length, dim]`.
        """

    def forward(self, lattice: Lattice) -> TagScores:
        """Score each tag of each character."""
        x, penalty = self.encode(lattice)
        scores = self.output(self.output_dropout(x))
        if scores.dim() == 2:
            scores = lattice.pad_characters(scores)
        return TagScores(scores, penalty)

    def loss(self, scores: TagScores, gold: Tensor) -> Tensor:
        """Mean over the sentences of the negative log likelihood of their tags, and the penalty.

        Args:
            scores: the result of `forward`.
            gold: the tags, `[batch, length]`; `IGNORED` (-100) at padding. Or, where some are
                unknown, whether each may be the right one: `[batch, length, tags]`, bool, none
                at padding.
        """
        if gold.dim() == 3:
            likelihood = self.crf.partial_loss(scores.tags, gold, gold.any(dim=2).sum(dim=1))
        else:
            likelihood = self.crf.loss(scores.tags, gold, (gold != IGNORED).sum(dim=1))
        return likelihood + scores.penalty / len(gold)


def vectors(config: TaggerConfig, sizes: TaggerSizes) -> LatticeVectors:
    """The tables of a tagger: vectors of characters, bigrams and words."""
    return LatticeVectors(
        sizes.characters,
        sizes.bigrams,
        sizes.words,
        config.embedding_dropout,
        config.word_dropout,
        sizes.pretrained,
    )
