"""The attention pattern of SAMS for an exported program: no infinity, and no number next to 0.

A processor takes many times as long for numbers below 1e-38, which the exponential of a very
negative score is, and the product with a Gaussian far away. In float32 the results are those of
`fenjie.nn.attention.dense` but for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from fenjie.nn.attention.dense import Direction
from fenjie.nn.fused import mixed_by_heads
from fenjie.nn.layout import padded_reach
from fenjie.nn.positions import gaussian

UNSEEN = -1e30
"""Added to the score of a key that a query does not see."""

FAINTEST = -80.0
"""How far below the best score of a query those of its keys are told apart: beside the best one,
such a key counts for less than float32 holds, and its exponential is still an ordinary number."""

SMALLEST = 2.0**-53
"""A Gaussian below is 0: a score times it changes no exponential of float32, nor of float64."""


@dataclass(frozen=True)
class FinitePattern:
    """What is multiplied with the scores, and added to them.

    Attributes:
        factor: the Gaussian, `[query, key]`; None for 1.
        biases: one a group, 0 or `UNSEEN` or twice that, `[batch, 1, query or 1, key]`.
        mask: the real positions, `[batch, length]`, bool.
    """

    factor: Tensor | None
    biases: tuple[Tensor, ...]
    mask: Tensor

    @classmethod
    def make(
        cls, mask: Tensor, directions: Sequence[Direction], sigma: float | None, like: Tensor
    ) -> FinitePattern:
        """Prepare a batch; the arguments are those of `DensePattern.make`."""
        length = mask.shape[1]
        # (B, N) -> (B, 1, 1, N)
        padding = (~mask)[:, None, None, :].to(like.dtype) * UNSEEN
        unseen = like.new_full((length, length), UNSEEN)
        biases = {
            "forward": lambda: padding + unseen.triu(1),
            # A row for each query, since a bias that each would share is added more slowly
            "center": lambda: padding + like.new_zeros((length, length)),
            "backward": lambda: padding + unseen.tril(-1),
        }
        made = {name: biases[name]() for name in dict.fromkeys(directions)}
        factor = None
        if sigma is not None:
            reach = padded_reach(length)
            distance = torch.arange(1 - reach, reach + 1, device=mask.device)
            weight = gaussian(distance.to(like.dtype), sigma)
            weight = weight * (weight >= SMALLEST)
            factor = by_distance(weight[reach - length : reach + length], length)
        return cls(factor, tuple(made[name] for name in directions), mask)

    def mix(self, scores: Tensor, value: Tensor, group: int) -> Tensor:
        """Mix the values of a group by the softmax of its weighted scores.

        Args:
            scores: `[batch, heads, query, key]`.
            value: `[length, batch, heads, head_dim]`.
            group: the number of the group.

        Returns:
            `[batch, heads, length, head_dim]`.
        """
        weighted = scores if self.factor is None else scores * self.factor
        weighted = weighted + self.biases[group]
        below = weighted - weighted.amax(-1, keepdim=True)
        shares = below.clamp(min=FAINTEST).exp()
        return mixed_by_heads(shares, value) / shares.sum(-1, keepdim=True)


def by_distance(values: Tensor, length: int) -> Tensor:
    """A table of queries and keys out of one number for each distance: `[length, length]`.

    Rows of a table that is a column too wide, laid one after the other and read with rows that are
    shorter by one, move on by one: so all is copied in whole rows.

    Args:
        values: those of the distances `1 - length` to `length`, `[2 * length]`.
        length: the number of queries.
    """
    size = 2 * length - 1
    moved = values.expand(length, 2 * length).reshape(-1)[: length * size]
    return moved.view(length, size)[:, length - 1 :]
