"""Multi-head attention in two parts: the projections, and a pattern of masks and position weights.

A pattern is made once a batch and shared by all layers. It takes queries, keys and values
`[groups, batch, heads, length, head_dim]` and gives the mixed values of the same shape. Where a
selection drops keys, a dense pattern gives the scores instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import torch
from torch import Tensor, nn

from fenjie.nn.attention.selection import (
    Encoded,
    Penalty,
    Selected,
    SelectionConfig,
    masked_mean,
    shares,
)
from fenjie.nn.attention.selections import is_dense, make_selection
from fenjie.nn.grouped import GroupedLinear
from fenjie.nn.positions import gaussian

Direction = Literal["forward", "center", "backward"]


class Pattern(Protocol):
    """The attention mask of a batch, and the weights of positions in its scores."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Mix the values by the scores of queries and keys over the root of their size."""


@dataclass(frozen=True)
class DensePattern:
    """Every pair is scored (SAMS, eq. 2 to 4): the usual n x n attention.

    Attributes:
        factor: multiplied into the scores, `[query, key]`; None for 1.
        bias: added to the scores, 0 or -inf, `[groups, batch, 1, query, key]`.
        mask: the real positions, `[batch, length]`, bool.
    """

    factor: Tensor | None
    bias: Tensor
    mask: Tensor

    @classmethod
    def make(
        cls, mask: Tensor, directions: Sequence[Direction], sigma: float | None, like: Tensor
    ) -> DensePattern:
        """Gaussian weights and directional masks for a batch.

        Padding is masked after the Gaussian, so that it never changes a result; a padded query
        sees itself alone.

        Args:
            mask: the real positions, `[batch, length]`, bool.
            directions: the direction of each group.
            sigma: standard deviation of the Gaussian in characters; None for no Gaussian.
            like: a tensor of the floating point type to calculate with.
        """
        position = torch.arange(mask.shape[1], device=mask.device)
        offset = position - position[:, None]
        seen = directional(directions, offset)[:, None] & mask[:, None, :]
        seen = seen | (offset == 0)
        bias = like.new_zeros(seen.shape).masked_fill(~seen, -math.inf)
        factor = None if sigma is None else gaussian(offset.to(like.dtype), sigma)
        return cls(factor, bias[:, :, None], mask)

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Mix the values by the softmax of the scores (eq. 3)."""
        return torch.softmax(self.scores(query, key), dim=-1) @ value

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """The weighted, masked scores: `[groups, batch, heads, query, key]`."""
        return self.weigh(query @ key.transpose(-1, -2), query.shape[-1] ** -0.5)

    def weigh(self, products: Tensor, scale: float = 1.0) -> Tensor:
        """Weigh and mask products of queries and keys, in place; `scale` is one more factor."""
        factor = scale if self.factor is None else scale * self.factor
        return products.mul_(factor).add_(self.bias)


def directional(directions: Sequence[Direction], offset: Tensor) -> Tensor:
    """The directional mask (SAMS, eq. 4): True where a query sees a key.

    Args:
        directions: one a group. `forward` sees keys up to the query itself, `backward` from the
            query on, `center` all.
        offset: key position minus query position, `[...]`; the result is `[groups, ...]`, bool.
    """
    views = {
        "forward": offset <= 0,
        "center": torch.ones_like(offset, dtype=torch.bool),
        "backward": offset >= 0,
    }
    return torch.stack([views[direction] for direction in directions])


class Attention(nn.Module):
    """Multi-head self-attention of several groups side by side (SAMS, eq. 5)."""

    def __init__(self, groups: int, dim: int, heads: int, selection: SelectionConfig) -> None:
        super().__init__()
        self.heads = heads
        self.project = GroupedLinear(groups, dim, 3 * dim)
        self.merge = GroupedLinear(groups, dim, dim)
        self.selection = make_selection(selection, dim, heads, groups)

    def forward(self, x: Tensor, pattern: Pattern) -> Encoded:
        """`[groups, batch, length, dim] -> [groups, batch, length, dim]`."""
        # (G, B, N, 3D) -> 3 of (G, B, H, N, D/H)
        query, key, value = (
            self.project(x).unflatten(-1, (3, self.heads, -1)).permute(3, 0, 1, 4, 2, 5)
        )
        penalty: Penalty = 0.0
        if isinstance(pattern, DensePattern) and not is_dense(self.selection):
            weights, penalty = self.select(x, pattern.scores(query, key), pattern.mask)
            mixed = weights @ value
        else:
            mixed = pattern.attend(query, key, value)
        return Encoded(self.merge(mixed.transpose(2, 3).flatten(-2)), penalty)

    def select(self, x: Tensor, scores: Tensor, mask: Tensor, group: int | None = None) -> Selected:
        """The weights of the keys that are kept; those of a query of padding cost nothing.

        The arguments are those of `forward` and `DensePattern`; `group` is the number of the one
        group that is given, without its axis, or None for all.
        """
        thresholds = self.selection.thresholds(x, masked_mean(x, mask), group)
        selected: Selected = self.selection(scores, thresholds, shares(mask))
        return selected
