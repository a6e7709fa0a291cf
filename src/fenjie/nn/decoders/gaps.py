"""Segmentation as one decision per gap: scores and loss.

Decoding is numpy's: `fenjie.runtime.decoding.gaps`.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from fenjie.lexicon.indexer import Sizes, ngram_columns
from fenjie.text.span import Sentence

IGNORED = -100
"""The gold value of a gap that does not exist."""


class BiaffineGaps(nn.Module):
    """Scores every gap from the characters on both sides (SAMS, eq. 6)."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        # Zero at the start: the scores begin small, as those of the linear part do.
        self.bilinear = nn.Parameter(torch.zeros(2, dim, dim))
        self.linear = nn.Linear(2 * dim, 2)
        nn.init.xavier_uniform_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, forward: Tensor, backward: Tensor) -> Tensor:
        """Score the gap between each character and the next.

        From the forward and the backward representation of each character, `[batch, length, dim]`
        each, to `[batch, length - 1, 2]`; label 1 is a boundary.
        """
        return self.between(forward[:, :-1], backward[:, 1:])

    def between(self, left: Tensor, right: Tensor) -> Tensor:
        """Score gaps by what is to their left and right: `[..., dim]` each to `[..., 2]`."""
        labels, dim, _ = self.bilinear.shape
        # (.., D) x (D, L*D) -> (.., L, D), then with the right side: (.., L)
        turned = left @ self.bilinear.transpose(0, 1).reshape(dim, labels * dim)
        joint = (turned.unflatten(-1, (labels, dim)) * right.unsqueeze(-2)).sum(-1)
        result: Tensor = joint + self.linear(torch.cat((left, right), dim=-1))
        return result

    def odds(self, left: Tensor, right: Tensor) -> Tensor:
        """The score of a boundary less that of none, by one product: `[rows, dim]` to `[rows]`.

        Args:
            left: what is to the left of each gap.
            right: what is to the right.
        """
        weights = self.linear.weight[1] - self.linear.weight[0]
        bias = self.linear.bias[1] - self.linear.bias[0]
        of_left, of_right = weights.chunk(2)
        turned = F.linear(left, (self.bilinear[1] - self.bilinear[0]).t(), of_right)
        # A matrix of one column, for which ONNX Runtime is faster than for a vector
        result: Tensor = (turned * right).sum(-1, keepdim=True) + left @ of_left[:, None] + bias
        return result.squeeze(-1)


class NgramGaps(nn.Module):
    """Scores every gap by the sum of one weight for each n-gram around it: a linear model."""

    STEP = 16.0
    """Weights are kept this much smaller, so that Adam's steps, all of one size, fit them too."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.columns = ngram_columns(sizes)
        self.weights = nn.Embedding(sizes.ngrams, 1)
        nn.init.zeros_(self.weights.weight)

    def forward(self, ids: Tensor) -> Tensor:
        """`[batch, length, columns] -> [batch, length - 1]`: the evidence for a boundary."""
        weights = self.weights(ids[:, :-1, -self.columns :]).squeeze(-1)
        result: Tensor = weights.sum(-1) * self.STEP
        return result


def add_to_boundary(scores: Tensor, evidence: Tensor) -> Tensor:
    """Add to the score of label 1: `[batch, gaps, 2]` and `[batch, gaps]`."""
    return torch.stack((scores[..., 0], scores[..., 1] + evidence), dim=-1)


def gap_loss(scores: Tensor, gold: Tensor) -> Tensor:
    """Mean cross entropy over the real gaps (SAMS, section 3.4); 0 where there is none.

    Args:
        scores: `[batch, gaps, labels]`.
        gold: `[batch, gaps]`, 1 for a boundary, 0 for none, `IGNORED` for padding.
    """
    total = F.cross_entropy(
        scores.flatten(0, 1).float(), gold.flatten(), ignore_index=IGNORED, reduction="sum"
    )
    return total / (gold != IGNORED).sum().clamp(min=1)


def boundaries(scores: Tensor) -> Tensor:
    """The greedy decision of each gap: `[batch, gaps, 2] -> [batch, gaps]`, bool."""
    return scores[..., 1] > scores[..., 0]


def gold_gaps(sentence: Sentence) -> NDArray[np.int64]:
    """The gold decision of each gap of a segmented sentence: `[length - 1]`, 1 = boundary."""
    gaps = np.zeros(max(len(sentence.text) - 1, 0), dtype=np.int64)
    gaps[[span.end - 1 for span in sentence.spans[:-1]]] = 1
    return gaps
