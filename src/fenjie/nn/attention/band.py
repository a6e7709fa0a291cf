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
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from fenjie.nn.attention.dense import DensePattern, Direction, Pattern, directional
from fenjie.nn.positions import gaussian

REACH = 8.3
"""Where the Gaussian weight falls under 2^-53, in standard deviations."""

BAND_FROM = 192
"""The length from which the band is faster than dense attention (benchmarks/attention.py)."""


@dataclass(frozen=True)
class BandPattern:
    """Gaussian-masked directional attention (SAMS, eq. 2 to 4) by blocks.

    Positions are cut into blocks as long as the reach of the Gaussian. A query scores the keys of
    its own block and of the two beside it (near); the blocks beyond those (far) are summed.

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
        block = _block(sigma)
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
        length = query.shape[-2]
        # (G, B, H, N, D) -> (G, B, H, blocks, block, D)
        query, key, value = (
            F.pad(part, (0, 0, 0, self.mask.shape[1] - length)).unflatten(
                -2, (-1, len(self.factor))
            )
            for part in (query, key, value)
        )
        mixed: Tensor = _Band.apply(query, key, value, self)  # type: ignore[no-untyped-call]
        return mixed.flatten(-3, -2)[..., :length, :]

    def far(self, value: Tensor) -> tuple[Tensor, Tensor]:
        """The sum and the number of the values that the queries of each block see far away.

        `[groups, batch, heads, blocks, block, head_dim]` to
        `[groups, batch, heads, blocks, 1, head_dim]` and `[groups, batch, 1, blocks, 1, 1]`.
        """
        real = self.real
        ones = real.expand(len(self.directions), *real.shape[1:])
        sums, counts = ((part * real).sum(-2, keepdim=True) for part in (value, ones))
        return _beyond(sums, self.directions), _beyond(counts, self.directions)

    @property
    def real(self) -> Tensor:
        """1 where there is a character, `[1, batch, 1, blocks, block, 1]`."""
        blocks = self.mask.unflatten(-1, (-1, len(self.factor)))
        result: Tensor = blocks[None, :, None, ..., None].to(self.factor.dtype)
        return result


class _Band(torch.autograd.Function):
    """The attention of `BandPattern`, with a backward that keeps little from the forward.

    It keeps queries, keys, values and weights; autograd would keep each key and value
    three times, once for each block that sees it, and the mixed values before their division.
    In lower precision the matrix products alone are of it; all else has the type of the pattern's
    factor.
    """

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, key: Tensor, value: Tensor, pattern: BandPattern
    ) -> Tensor:
        scale = query.shape[-1] ** -0.5
        # (.., block, D) x (.., D, 3 * block)
        scores = (query @ _near(key)).mul_(scale * pattern.factor).add_(pattern.bias)
        sums, counts = pattern.far(value)
        # One more column for the far keys together: a score of 0 each, none where there is none.
        far_score = torch.zeros_like(counts).masked_fill(counts == 0, -math.inf)
        top = torch.maximum(scores.amax(-1, keepdim=True), far_score)
        near, far = (scores - top).exp_(), torch.exp(far_score - top)
        total = near.sum(-1, keepdim=True) + far * counts
        near, far = near.div_(total).to(value.dtype), far / total
        ctx.save_for_backward(query, key, value, near, far)
        ctx.pattern = pattern
        mixed: Tensor = (near @ _near(value).transpose(-1, -2)).add_(far * sums)
        return mixed

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        query, key, value, near, far = ctx.saved_tensors
        pattern = ctx.pattern
        sums, _ = pattern.far(value)
        opposite = tuple(_OPPOSITE[direction] for direction in pattern.directions)
        far_value = _beyond((far * grad).sum(-2, keepdim=True), opposite) * pattern.real
        grad_value = _from_near(near.transpose(-1, -2) @ grad).add_(far_value)
        # Softmax: the gain of each weight, less the average gain of all.
        gain = (grad @ _near(value)).to(far.dtype)
        mean = (near * gain).sum(-1, keepdim=True)
        mean += far * (grad * sums).sum(-1, keepdim=True)
        scale = query.shape[-1] ** -0.5
        scores = gain.sub_(mean).mul_(near).mul_(scale * pattern.factor).to(query.dtype)
        grad_query = scores @ _near(key).transpose(-1, -2)
        grad_key = _from_near(scores.transpose(-1, -2) @ query)
        return grad_query, grad_key, grad_value, None


_OPPOSITE: dict[Direction, Direction]
_OPPOSITE = {"forward": "backward", "center": "center", "backward": "forward"}


def _near(part: Tensor) -> Tensor:
    """Each block and the two beside it: `[..., blocks, block, dim] -> [.., dim, 3 * block]`."""
    block = part.shape[-2]
    return F.pad(part.flatten(-3, -2), (0, 0, block, block)).unfold(-2, 3 * block, block)


def _from_near(parts: Tensor) -> Tensor:
    """The transpose of `_near`: `[..., blocks, 3 * block, dim] -> [..., blocks, block, dim]`."""
    before, own, after = parts.chunk(3, dim=-2)
    result = own.clone()
    result[..., :-1, :, :] += before[..., 1:, :, :]
    result[..., 1:, :, :] += after[..., :-1, :, :]
    return result


def _beyond(blocks: Tensor, directions: Sequence[Direction]) -> Tensor:
    """For each block the sum of all that it sees but for itself and the two beside it.

    `[groups, batch, heads, blocks, 1, dim]`; the directions say where each group looks.
    """
    views = {"forward": _before(blocks), "backward": _before(blocks.flip(-3)).flip(-3)}
    views["center"] = views["forward"] + views["backward"]
    return torch.stack([views[name][group] for group, name in enumerate(directions)])


def _before(blocks: Tensor) -> Tensor:
    """For each block the sum of all blocks up to the last but one before it."""
    return F.pad(blocks.cumsum(-3), (0, 0, 0, 0, 2, 0))[..., :-2, :, :]


def gaussian_pattern(
    mask: Tensor,
    directions: Sequence[Direction],
    sigma: float | None,
    like: Tensor,
    *,
    dense: bool,
) -> Pattern:
    """The pattern of SAMS for a batch: dense for short texts, by bands for long ones.

    Both are exact. It is dense too with `dense`, for selections, which need a score for each key,
    and where the three blocks that a query scores are as long as the text.
    """
    if dense or sigma is None or mask.shape[1] < max(BAND_FROM, 3 * _block(sigma)):
        return DensePattern.make(mask, directions, sigma, like)
    return BandPattern.make(mask, directions, sigma, like)


def _block(sigma: float) -> int:
    """The length of a block: the reach of the Gaussian."""
    return math.ceil(REACH * sigma)
