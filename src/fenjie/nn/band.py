r"""Gaussian attention in time and memory linear in the length, without approximation.

The Gaussian of SAMS multiplies the scores, so a key so far away that its weight g vanishes has
the score 0 whatever query and key are, and counts as exp(0) = 1. Of all the keys that a query
sees, only those near by need a score; the rest enters as a sum of values:

    out_i = (sum_near exp(s_ij g_ij) v_j + sum_far v_j) / (sum_near exp(s_ij g_ij) + n_far)

Beyond 8.3 sigma, g is under 2^-53, half a unit in the last place of a float64 at 1: leaving the
score out changes nothing that the number format could hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from fenjie.nn.attention import DensePattern, Pattern
from fenjie.nn.positions import gaussian
from fenjie.nn.selection import Direction, directional

REACH = 8.3
"""Where the Gaussian weight falls under 2^-53, in standard deviations."""

BAND_FROM = 192
"""The length from which the band is faster than dense attention (benchmarks/attention.py)."""


@dataclass(frozen=True)
class BandPattern:
    """Gaussian-masked directional attention (SAMS, eq. 2 to 4) by blocks.

    Positions are cut into blocks as long as the reach of the Gaussian. A query scores the keys of
    its own block and of the two beside it (near); the blocks behind those (far) are summed.

    Attributes:
        directions: the direction of each group.
        mask: the real positions, filled up to whole blocks, `[batch, blocks * block]`.
        factor: the Gaussian, `[block, 3 * block]`.
        bias: 0, or -inf where a query does not see a near key,
            `[groups, batch, 1, blocks, block, 3 * block]`.
    """

    directions: tuple[Direction, ...]
    mask: Tensor
    factor: Tensor
    bias: Tensor

    @classmethod
    def make(
        cls, mask: Tensor, directions: Sequence[Direction], sigma: float, like: Tensor
    ) -> BandPattern:
        """Prepare a batch; the arguments are those of `DensePattern.make`."""
        block = math.ceil(REACH * sigma)
        mask = F.pad(mask, (0, -mask.shape[1] % block))
        query = torch.arange(block, device=mask.device)[:, None]
        offset = torch.arange(-block, 2 * block, device=mask.device) - query
        real = F.pad(mask, (block, block)).unfold(-1, 3 * block, block)
        seen = directional(directions, offset)[:, None, None] & real[:, :, None]
        seen = (seen | (offset == 0))[:, :, None]
        bias = like.new_zeros(seen.shape).masked_fill(~seen, -math.inf)
        return cls(tuple(directions), mask, gaussian(offset.to(like.dtype), sigma), bias)

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Mix the values as dense attention would."""
        length, block = query.shape[-2], len(self.factor)
        query, key, value = (
            F.pad(part, (0, 0, 0, self.mask.shape[1] - length)) for part in (query, key, value)
        )
        # (G, B, H, blocks, block, D) x (G, B, H, blocks, D, 3 * block)
        factor = query.shape[-1] ** -0.5 * self.factor
        scores = query.unflatten(-2, (-1, block)) @ self._near(key)
        scores = scores.mul_(factor).add_(self.bias)
        sums, counts = self._far(value)
        # One more column for the far keys together: a score of 0 each, none where there is none.
        far_score = torch.zeros_like(counts).masked_fill(counts == 0, -math.inf)
        top = torch.maximum(scores.detach().amax(-1, keepdim=True), far_score)
        near, far = torch.exp(scores - top), torch.exp(far_score - top)
        mixed = near.to(value.dtype) @ self._near(value).transpose(-1, -2) + far * sums
        mixed = mixed / (near.sum(-1, keepdim=True) + far * counts)
        result: Tensor = mixed.flatten(-3, -2)[..., :length, :]
        return result

    def _near(self, part: Tensor) -> Tensor:
        """The block of each query and the two beside it: `[..., blocks, dim, 3 * block]`."""
        block = len(self.factor)
        return F.pad(part, (0, 0, block, block)).unfold(-2, 3 * block, block)

    def _far(self, value: Tensor) -> tuple[Tensor, Tensor]:
        """The sum and the number of the values that the queries of each block see far away.

        Returns:
            `[groups, batch, heads, blocks, 1, head_dim]` and `[groups, batch, 1, blocks, 1, 1]`.
        """
        real = self.mask[:, None, :, None].to(self.factor.dtype)
        ones = real.expand(len(self.directions), -1, -1, -1, -1)
        return self._far_sum(value * real), self._far_sum(ones)

    def _far_sum(self, part: Tensor) -> Tensor:
        blocks = part.unflatten(-2, (-1, len(self.factor))).sum(-2)
        views = {
            "forward": _before(blocks),
            "backward": _before(blocks.flip(-2)).flip(-2),
        }
        views["center"] = views["forward"] + views["backward"]
        seen = [views[name][group] for group, name in enumerate(self.directions)]
        return torch.stack(seen)[..., None, :]


def _before(blocks: Tensor) -> Tensor:
    """For each block the sum of all blocks up to the last but one before it."""
    return F.pad(blocks.cumsum(-2), (0, 0, 2, 0))[..., :-2, :]


def gaussian_pattern(
    mask: Tensor, directions: Sequence[Direction], sigma: float | None, like: Tensor
) -> Pattern:
    """The pattern of SAMS for a batch: dense for short texts, by bands for long ones.

    Both are exact. A graph for export is always dense: it must hold for every length.
    """
    if sigma is None or torch.compiler.is_exporting() or mask.shape[1] < BAND_FROM:
        return DensePattern.make(mask, directions, sigma, like)
    return BandPattern.make(mask, directions, sigma, like)
