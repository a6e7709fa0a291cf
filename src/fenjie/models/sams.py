"""SAMS: segmentation with Gaussian-masked directional Transformers and a biaffine gap scorer.

Sufeng Duan and Hai Zhao. 2020. Attention Is All You Need for Chinese Word Segmentation. EMNLP.
Equation and section numbers are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.lexicon.indexer import Sizes
from fenjie.nn.attention.selection import Penalty
from fenjie.nn.batch import Batch
from fenjie.nn.decoders.gaps import BiaffineGaps, NgramGaps, add_to_boundary, boundaries, gap_loss
from fenjie.nn.dropout import Dropout
from fenjie.nn.embeddings import CharacterEmbedding
from fenjie.nn.encoders.directional import (
    DirectionalConfig,
    Fusion,
    make_exported_pattern,
    make_layers,
    make_pattern,
)
from fenjie.nn.encoders.layer import encode
from fenjie.nn.encoders.single_group import encode_in_turn
from fenjie.nn.fused import mixed_by_heads
from fenjie.nn.layout import padded_reach
from fenjie.nn.positions import sinusoids
from fenjie.ranges import Size


@dataclass(frozen=True)
class SamsConfig(DirectionalConfig):
    """The settings of SAMS, on top of those of its encoders; defaults are the paper's (Table 4).

    Attributes:
        layers: layers of each encoder; even, the HiRED layer lies in the middle.
        highway_input: Highway-I, the embedding joins the input of the rear half (Table 8).
        highway_output: Highway-O, scores and decodes in the middle too, a second loss, and the
            words found there join the input of the rear half (Table 8).
        bigram_dim: size of the bigram vectors, where the vocabulary has bigrams.
    """

    highway_input: bool = True
    highway_output: bool = True
    bigram_dim: Size = 64

    def __post_init__(self) -> None:
        """Raise a FenjieError where the number of layers is odd."""
        super().__post_init__()
        if self.layers % 2:
            raise FenjieError(f"layers must be even, to have a middle; found {self.layers}")


class GapScores(NamedTuple):
    """The scores of a segmenter.

    Attributes:
        final: those of each gap, `[batch, length - 1, 2]`; label 1 is a boundary.
        middle: the same from the HiRED layer; None where there is none.
        penalty: cost of the keys that thresholds have kept, as in `TagScores`.
    """

    final: Tensor
    middle: Tensor | None = None
    penalty: Penalty = 0.0


class Sams(nn.Module):
    """The segmenter of the paper, Figure 1.

    The paper has characters alone. N-grams, where there are any, add a linear score to each gap.
    """

    Config = SamsConfig

    def __init__(self, config: SamsConfig, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        half = config.layers // 2
        self.embedding = CharacterEmbedding(sizes, config.dim, config.bigram_dim)
        self.dropout = Dropout(config.dropout)
        self.front = make_layers(config, half)
        self.rear = make_layers(config, half)
        self.fusion = Fusion(config.directions, config.dim, config.fusion == "gate")
        self.scorer = BiaffineGaps(config.dim)
        self.ngrams = NgramGaps(sizes) if sizes.ngrams else None
        if config.highway_output:
            self.middle_fusion = Fusion(config.directions, config.dim, config.fusion == "gate")
            self.middle_scorer = BiaffineGaps(config.dim)

    def forward(self, batch: Batch) -> GapScores:
        """Score every gap of a batch."""
        config, mask = self.config, batch.mask
        embedded = self.embedding(batch.ids)
        length = mask.shape[1]
        positions = sinusoids(padded_reach(length), config.dim, embedded)[:length]
        embedded = self.dropout(embedded + positions)
        if torch.compiler.is_exporting():
            return GapScores(self.in_turn(batch, embedded))
        pattern = make_pattern(config, mask, embedded)

        evidence = None if self.ngrams is None else self.ngrams(batch.ids)

        encoded = embedded.expand(len(config.directions), *embedded.shape)
        encoded, penalty = encode(self.front, encoded, pattern)
        inputs = encoded
        middle = None
        if config.highway_output:
            middle = self.middle_scorer(*self.middle_fusion(encoded))
            if evidence is not None:
                middle = add_to_boundary(middle, evidence)
            inputs = inputs + word_sums(encoded * mask[..., None], boundaries(middle))
        if config.highway_input:
            inputs = inputs + embedded
        encoded, cost = encode(self.rear, inputs, pattern)
        final = self.scorer(*self.fusion(encoded))
        if evidence is not None:
            final = add_to_boundary(final, evidence)
        return GapScores(final, middle, penalty + cost)

    def in_turn(self, batch: Batch, embedded: Tensor) -> Tensor:
        """The final scores in the form that ONNX Runtime computes fastest: 0, and the log-odds.

        One encoder comes after another, and characters before texts: see `single_group`.

        Args:
            batch: the batch.
            embedded: the vectors of its characters, `[batch, length, dim]`.
        """
        config, mask = self.config, batch.mask
        length, groups = mask.shape[1], len(config.directions)
        pattern = make_exported_pattern(config, mask, embedded)
        # (B, N - 1) -> (N - 1, B)
        evidence = None if self.ngrams is None else self.ngrams(batch.ids).t()
        rows = embedded.transpose(0, 1).reshape(-1, config.dim)
        encoded = encode_in_turn(self.front, [rows] * groups, pattern)
        if config.highway_output:
            middle = _odds(self.middle_scorer, self.middle_fusion(encoded), length, evidence)
            same = same_word(middle.t() > 0).to(rows.dtype)
            # Each character itself, and its word once more
            same = (same * mask[:, None, :] + torch.eye(length)).unsqueeze(1)
            summed = [
                mixed_by_heads(same, each.view(length, -1, 1, config.dim)) for each in encoded
            ]
            # (B, 1, N, D) -> (N * B, D)
            encoded = [each.permute(2, 0, 1, 3).reshape(-1, config.dim) for each in summed]
        if config.highway_input:
            encoded = [each + rows for each in encoded]
        encoded = encode_in_turn(self.rear, encoded, pattern)
        odds = _odds(self.scorer, self.fusion(encoded), length, evidence)
        return torch.nn.functional.pad(odds.t()[..., None], (1, 0))

    def loss(self, scores: GapScores, gold: Tensor) -> Tensor:
        """The loss at the end plus the loss in the middle (section 3.3).

        Where thresholds select keys, the penalty of ATSSA's eq. 19 is added.
        """
        loss = gap_loss(scores.final, gold) + scores.penalty / len(gold)
        return loss if scores.middle is None else loss + gap_loss(scores.middle, gold)


def word_sums(vectors: Tensor, boundary: Tensor) -> Tensor:
    """For each character the sum of the vectors of its word (section 3.3).

    Args:
        vectors: `[groups, batch, length, dim]`, 0 at padding; so is the result.
        boundary: whether a word ends in each gap, `[batch, length - 1]`, bool.
    """
    word = words_of(boundary)
    index = word[None, :, :, None].expand_as(vectors)
    return torch.zeros_like(vectors).scatter_add(2, index, vectors).gather(2, index)


def words_of(boundary: Tensor) -> Tensor:
    """The number of the word of each character: `[batch, length - 1]`, bool, to `[.., length]`."""
    return torch.nn.functional.pad(boundary.long().cumsum(-1), (1, 0))


def same_word(boundary: Tensor) -> Tensor:
    """Whether two characters share a word: `[batch, length - 1]` to `[.., length, length]`."""
    word = words_of(boundary)
    return word[:, :, None] == word[:, None, :]


def _odds(
    scorer: BiaffineGaps, sides: tuple[Tensor, Tensor], length: int, evidence: Tensor | None
) -> Tensor:
    """The log-odds of a boundary in each gap, characters before texts: `[length - 1, batch]`.

    Args:
        scorer: scores them.
        sides: the forward and the backward representation, `[length * batch, dim]` each.
        length: the number of characters of a text.
        evidence: added to the log-odds, `[length - 1, batch]`; None for none.
    """
    forward, backward = (side.view(length, -1, side.shape[-1]) for side in sides)
    left, right = (part.flatten(0, 1) for part in (forward[:-1], backward[1:]))
    odds = scorer.odds(left, right).view(length - 1, -1)
    return odds if evidence is None else odds + evidence
