"""SAMS: segmentation with Gaussian-masked directional Transformers and a biaffine gap scorer.

Sufeng Duan and Hai Zhao. 2020. Attention Is All You Need for Chinese Word Segmentation. EMNLP.
Equation and section numbers are theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.lexicon.indexer import Sizes
from fenjie.nn.band import gaussian_pattern
from fenjie.nn.batch import Batch
from fenjie.nn.dropout import Dropout
from fenjie.nn.embeddings import CharacterEmbedding
from fenjie.nn.gaps import (
    BiaffineGaps,
    NgramGaps,
    add_to_boundary,
    boundaries,
    decode_gaps,
    gap_loss,
    gold_gaps,
)
from fenjie.nn.grouped import GroupedLinear
from fenjie.nn.positions import sinusoids
from fenjie.nn.selection import Direction, SelectionConfig, forget, penalty
from fenjie.nn.transformer import TransformerLayer
from fenjie.text.span import Sentence, Span


@dataclass(frozen=True)
class SamsConfig:
    """The settings of SAMS; the defaults are the paper's (Table 4).

    Attributes:
        dim: size of the hidden vectors.
        layers: layers of each encoder; even, the HiRED layer lies in the middle.
        heads: attention heads of each encoder.
        hidden: inner size of the feed-forward layers.
        dropout: rate behind the embedding and behind each sublayer (Vaswani et al. 2017, 5.4).
        gaussian: whether scores are weighted by the Gaussian of eq. 2 (Table 7).
        sigma: its standard deviation in characters.
        directional: whether the forward and backward encoders see one side only (Table 7).
        directions: the encoders; leave one out for Table 9.
        highway_input: Highway-I, the embedding joins the input of the rear half (Table 8).
        highway_output: Highway-O, scores and decodes in the middle too, a second loss, and the
            words found there join the input of the rear half (Table 8).
        fusion: how directions are joined: their `sum` as in the paper, or a learned `gate`.
        bigram_dim: size of the bigram vectors, where the vocabulary has bigrams.
        selection: which keys a query keeps, by the scores behind Gaussian and masks; the paper
            keeps them all. Attention that drops keys takes time quadratic in the length.
    """

    dim: int = 256
    layers: int = 6
    heads: int = 4
    hidden: int = 1024
    dropout: float = 0.1
    gaussian: bool = True
    sigma: float = 2.0
    directional: bool = True
    directions: tuple[Direction, ...] = ("forward", "center", "backward")
    highway_input: bool = True
    highway_output: bool = True
    fusion: Literal["sum", "gate"] = "sum"
    bigram_dim: int = 64
    selection: SelectionConfig = field(default_factory=SelectionConfig)

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            FenjieError: they contradict each other.
        """
        if self.dim % self.heads or self.dim % 2:
            raise FenjieError(f"dim {self.dim} is not an even multiple of heads {self.heads}")
        if self.layers < 2 or self.layers % 2:
            raise FenjieError(f"layers must be even, to have a middle; found {self.layers}")
        if "center" not in self.directions and len(self.directions) < 2:
            raise FenjieError("one direction alone leaves one side of each gap without a vector")


class GapScores(NamedTuple):
    """The scores of each gap, `[batch, length - 1, 2]`: at the end, and in the middle."""

    final: Tensor
    middle: Tensor | None


class Fusion(nn.Module):
    """Joins one direction with the centre: `v = r + r^c`, or by a learned gate."""

    def __init__(self, directions: Sequence[Direction], dim: int, gated: bool) -> None:
        super().__init__()
        self.directions = tuple(directions)
        self.gates = GroupedLinear(2, 2 * dim, dim) if gated else None

    def forward(self, encoded: Tensor) -> tuple[Tensor, Tensor]:
        """Make the forward and the backward representation.

        Args:
            encoded: the output of each encoder, `[groups, batch, length, dim]`.

        Returns:
            `v^f` and `v^b`, `[batch, length, dim]` each.
        """
        by_name: dict[Direction, Tensor] = dict(zip(self.directions, encoded, strict=True))
        center = by_name.get("center")
        sides = [by_name.get("forward"), by_name.get("backward")]
        if center is None:
            return by_name["forward"], by_name["backward"]
        if self.gates is None:
            forward, backward = (center if side is None else side + center for side in sides)
            return forward, backward
        pairs = torch.stack(
            [torch.cat((center if side is None else side, center), dim=-1) for side in sides]
        )
        gate = torch.sigmoid(self.gates(pairs))
        side, middle = pairs.chunk(2, dim=-1)
        mixed = gate * side + (1 - gate) * middle
        return mixed[0], mixed[1]


class Sams(nn.Module):
    """The segmenter of the paper, Figure 1."""

    Config = SamsConfig

    def __init__(self, config: SamsConfig, sizes: Sizes) -> None:
        """Assemble the model.

        Args:
            config: its settings.
            sizes: what the columns of the ids hold. The paper has characters alone. N-grams, where
                there are any, add a linear score to each gap.
        """
        super().__init__()
        self.config = config
        groups = len(config.directions)
        layer = (
            groups,
            config.dim,
            config.heads,
            config.hidden,
            config.dropout,
            config.selection,
        )
        half = config.layers // 2
        self.embedding = CharacterEmbedding(sizes, config.dim, config.bigram_dim)
        self.dropout = Dropout(config.dropout)
        self.front = nn.ModuleList(TransformerLayer(*layer) for _ in range(half))
        self.rear = nn.ModuleList(TransformerLayer(*layer) for _ in range(half))
        self.fusion = Fusion(config.directions, config.dim, config.fusion == "gate")
        self.scorer = BiaffineGaps(config.dim)
        self.ngrams = NgramGaps(sizes) if sizes.ngrams else None
        if config.highway_output:
            self.middle_fusion = Fusion(config.directions, config.dim, config.fusion == "gate")
            self.middle_scorer = BiaffineGaps(config.dim)
        self.register_forward_pre_hook(forget)

    def forward(self, batch: Batch) -> GapScores:
        """Score every gap of a batch."""
        config, mask = self.config, batch.mask
        embedded = self.embedding(batch.ids)
        embedded = self.dropout(embedded + sinusoids(mask.shape[1], config.dim, embedded))
        sees = self.directions_seen()
        sigma = config.sigma if config.gaussian else None
        chosen = config.selection.kind != "dense"
        pattern = gaussian_pattern(mask, sees, sigma, embedded, dense=chosen)

        evidence = None if self.ngrams is None else self.ngrams(batch.ids)

        encoded = embedded.expand(len(sees), *embedded.shape)
        for layer in self.front:
            encoded = layer(encoded, pattern)
        inputs = encoded
        middle = None
        if config.highway_output:
            middle = self.middle_scorer(*self.middle_fusion(encoded))
            if evidence is not None:
                middle = add_to_boundary(middle, evidence)
            inputs = inputs + word_sums(encoded * mask[..., None], boundaries(middle))
        if config.highway_input:
            inputs = inputs + embedded
        encoded = inputs
        for layer in self.rear:
            encoded = layer(encoded, pattern)
        final = self.scorer(*self.fusion(encoded))
        if evidence is not None:
            final = add_to_boundary(final, evidence)
        return GapScores(final, middle)

    def directions_seen(self) -> tuple[Direction, ...]:
        """Where each encoder looks: all of them both ways where the masks are off (Table 7)."""
        config = self.config
        return tuple(name if config.directional else "center" for name in config.directions)

    def loss(self, scores: GapScores, gold: Tensor) -> Tensor:
        """The loss at the end plus the loss in the middle (section 3.3).

        Where thresholds select keys, what the kept ones cost comes to it (ATSSA, eq. 19), as the
        last forward pass in training has left it.
        """
        loss = gap_loss(scores.final, gold) + penalty(self) / len(gold)
        return loss if scores.middle is None else loss + gap_loss(scores.middle, gold)

    def gold(self, sentence: Sentence) -> NDArray[np.int64]:
        """The gold decisions of a segmented sentence: `[length - 1]`."""
        return gold_gaps(sentence)

    def decode(self, scores: GapScores, lengths: Tensor) -> list[tuple[Span, ...]]:
        """The words of each text, greedily: a gap is a boundary where label 1 scores higher."""
        return decode_gaps(scores.final, lengths)


def word_sums(vectors: Tensor, boundary: Tensor) -> Tensor:
    """For each character the sum of the vectors of its word (section 3.3).

    Args:
        vectors: `[groups, batch, length, dim]`, 0 at padding.
        boundary: whether a word ends in each gap, `[batch, length - 1]`, bool.

    Returns:
        `[groups, batch, length, dim]`.
    """
    word = torch.nn.functional.pad(boundary.long().cumsum(-1), (1, 0))
    if torch.compiler.is_exporting():  # a matrix product runs faster in ONNX Runtime
        same = (word[:, :, None] == word[:, None, :]).to(vectors.dtype)
        return same @ vectors
    index = word[None, :, :, None].expand_as(vectors)
    return torch.zeros_like(vectors).scatter_add(2, index, vectors).gather(2, index)
