"""Linear-chain conditional random field: loss, best paths, marginals (Lafferty et al. 2001).

The sentence boundary is one more tag, the last. It stands before the first character, behind the
last one and on padding, where it follows itself; so begin and end scores are transitions from and
to it, and sentences of different lengths need no case of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from fenjie.nn.gaps import IGNORED
from fenjie.text.tags import TagSet

LOWEST = -200.0
"""A tag counts as this much worse than the best tag of its character, if it is worse yet.

Probabilities are float64, which hold e^-708 and more. The tags of three characters decide how much
less likely one state can be than another of the same character, before the transitions.
"""


class Crf(nn.Module):
    """Scores of tags and of pairs of neighbours, normalised over all paths through a sentence.

    Transitions that the scheme forbids have the score -inf: their probability is exactly 0, they
    get no gradient, and no path has them. Sums below are over probabilities, in which -inf is 0;
    so nothing ever subtracts -inf from itself.
    """

    illegal: Tensor

    def __init__(self, tags: TagSet, *, constrained: bool = True, boundary: bool = True) -> None:
        """Start with scores of 0.

        Args:
            tags: the tags and which of them may follow which.
            constrained: whether what the scheme forbids is impossible.
            boundary: whether scores of the first and of the last tag are learned; else they are 0.
        """
        super().__init__()
        size = len(tags)
        self.transition = nn.Parameter(torch.zeros(size, size))
        self.begin = nn.Parameter(torch.zeros(size), requires_grad=boundary)
        self.end = nn.Parameter(torch.zeros(size), requires_grad=boundary)
        allowed = np.ones((size + 1, size + 1), dtype=np.bool_)
        if constrained:
            allowed[:size, :size] = tags.allowed
            allowed[size, :size], allowed[:size, size] = tags.begins, tags.ends
        self.register_buffer("illegal", torch.from_numpy(~allowed), persistent=False)

    def loss(self, scores: Tensor, tags: Tensor, lengths: Tensor) -> Tensor:
        """Mean over the sentences of the negative log probability of their tags.

        Args:
            scores: score of each tag, `[batch, length, tags]`.
            tags: gold tags, `[batch, length]`; what stands at padding is not looked at.
            lengths: characters of each sentence, `[batch]`.

        Returns:
            A scalar, float32 or better; infinite where the gold tags are forbidden.
        """
        pairs = self._pairs()
        log_z: Tensor = _LogPartition.apply(scores, pairs, lengths)  # type: ignore[no-untyped-call]
        batch, length, size = scores.shape
        real = _real(lengths, length)
        # (B, N+2): the boundary before and behind
        path = tags.new_full((batch, length + 2), size)
        path[:, 1:-1] = torch.where(real, tags, size)
        own = scores.gather(2, torch.where(real, tags, 0)[..., None])[..., 0]
        own = torch.where(real, own, 0.0).double().sum()
        steps = pairs[path[:, :-1], path[:, 1:]].double().sum()
        loss = (log_z.sum() - own - steps) / batch
        return loss.to(torch.promote_types(scores.dtype, torch.float32))

    def decode(self, scores: Tensor, lengths: Tensor) -> list[NDArray[np.int64]]:
        """The best tags of each sentence (Viterbi), one array of its length each.

        Of equally good paths it is the one with the smaller tag where, seen from the end, they
        first differ.
        """
        paths, _ = self.k_best(scores, lengths, 1)
        best = paths[:, 0].cpu().numpy()
        return [row[:length] for row, length in zip(best, lengths.tolist(), strict=True)]

    @torch.no_grad()
    def k_best(self, scores: Tensor, lengths: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The k best paths, the best first; of equally good ones as in `decode`.

        Args:
            scores: `[batch, length, tags]`.
            lengths: `[batch]`.
            k: how many.

        Returns:
            The tags, `[batch, k, length]`, and the score of each path (not normalised),
            `[batch, k]`. At padding, and where a sentence has fewer than k paths, the tags are
            `IGNORED`; the score of a path that does not exist is -inf.
        """
        emission = _with_boundary(scores, lengths, outside=-torch.inf, inside=0.0)
        pairs = self._pairs().to(emission.dtype)
        steps, batch, size = emission.shape
        # Best scores of paths to each tag, the best first: (B, T, K)
        best = emission.new_full((batch, size, k), -torch.inf)
        best[:, -1, 0] = 0
        origins = []
        for step in range(1, steps):
            # (B, T to, T from, K) -> (B, T, T*K)
            ways = (best[:, None] + pairs.t()[:, :, None]).flatten(2)
            if k == 1:
                best, origin = ways.max(-1, keepdim=True)
            else:
                best, origin = ways.sort(dim=-1, descending=True, stable=True)
                best, origin = best[..., :k], origin[..., :k]
            best = best + emission[step][..., None]
            origins.append(origin)
        # Backwards along the origins, from the boundary behind the end: tag * K + rank, (B, K)
        place = torch.arange(k, device=scores.device).expand(batch, k) + (size - 1) * k
        paths = []
        for origin in reversed(origins):
            place = origin.flatten(1).gather(1, place)
            paths.append(place // k)
        path = torch.stack(paths[-2::-1], dim=2) if steps > 2 else place.new_empty(batch, k, 0)
        found = best[:, -1]
        real = _real(lengths, steps - 2)[:, None] & found.isfinite()[..., None]
        return torch.where(real, path, IGNORED), found

    @torch.no_grad()
    def marginals(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """The probability of each tag of each character, `[batch, length, tags]`; 0 at padding."""
        chain = _Chain(scores, self._pairs(), lengths)
        return chain.marginals.to(torch.promote_types(scores.dtype, torch.float32))

    @torch.no_grad()
    def table(self) -> Tensor:
        """All that decoding needs, `[tags + 2, tags]`: transitions from each tag, begin, end."""
        pairs = self._pairs()
        return torch.cat((pairs[:, :-1], pairs[None, :-1, -1]))

    def _pairs(self) -> Tensor:
        """The score of each pair of neighbours, boundary included: `[tags + 1, tags + 1]`."""
        corner = self.begin.new_zeros(1)
        upper = torch.cat((self.transition, self.end[:, None]), dim=1)
        lower = torch.cat((self.begin, corner))[None]
        pairs = torch.cat((upper, lower))
        return pairs.masked_fill(self.illegal, -torch.inf)


class _LogPartition(torch.autograd.Function):
    """log Z of each sentence; its gradient is the marginals, which one loop finds along with it."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, pairs: Tensor, lengths: Tensor) -> Tensor:
        chain = _Chain(scores, pairs, lengths)
        ctx.chain = chain
        ctx.types = scores.dtype, pairs.dtype
        return chain.log_z

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        chain: _Chain = ctx.chain
        scores, pairs = ctx.types
        marginals = chain.marginals * gradient[:, None, None]
        return marginals.to(scores), chain.pair_counts(gradient).to(pairs), None


class _Chain:
    """Forward-backward over a batch, in both directions at once, scaled to sum 1 at each step.

    With E the exponentials of the scores and A those of the pairs, the forward weights of step t
    are `f_t = E_t * (f_{t-1} A)`, and the backward weights, own score included, are
    `b_t = E_t * (b_{t+1} A^T)`: the same recursion on the reversed sentence.
    """

    def __init__(self, scores: Tensor, pairs: Tensor, lengths: Tensor) -> None:
        size = len(pairs)
        scores = scores.double()
        top = scores.amax(-1, keepdim=True)
        shifted = (scores - top).clamp(min=LOWEST)
        highest = pairs.max().double()
        self.step = (pairs.double() - highest).exp()
        emission = _with_boundary(shifted.exp(), lengths, outside=0.0, inside=1.0)
        steps, batch, _ = emission.shape
        # (N+2, 2, B, T+1): forwards, and from the end backwards
        both = torch.stack((emission, emission.flip(0)), dim=1)
        weights = torch.empty_like(both)
        weights[0] = both[0]
        before = torch.empty_like(both)
        scale = both.new_ones(steps, 2, batch, 1)
        _recur(torch.stack((self.step, self.step.t().contiguous())), both, before, weights, scale)
        self.forward, self.backward = weights[:, 0], weights[:, 1].flip(0)
        # What stands behind each step but the last: (N+1, B, T+1)
        behind = before[1:, 1].flip(0)
        joint = self.forward[:-1] * behind
        self.total = joint.sum(-1, keepdim=True)
        self.marginals = (joint / self.total)[1:, :, : size - 1].transpose(0, 1)
        real = _real(lengths, steps - 2)
        self.log_z = (
            scale[:, 0, :, 0].log().sum(0)
            + torch.where(real, top[..., 0], 0.0).sum(1)
            + highest * (steps - 1)
        )

    def pair_counts(self, weight: Tensor) -> Tensor:
        """The expected count of each pair of neighbours, `[tags + 1, tags + 1]`.

        Args:
            weight: how much each sentence counts, `[batch]`.
        """
        left = self.forward[:-1] * (weight[:, None] / self.total)
        right = self.backward[1:]
        return (left.flatten(0, 1).t() @ right.flatten(0, 1)) * self.step


def _recur(step: Tensor, emission: Tensor, before: Tensor, weights: Tensor, scale: Tensor) -> None:
    """Fill the buffers from their second step on: `before`, `weights` and `scale`.

    On the CPU it runs in numpy on the same memory: a small operation costs it a fifth of torch's.
    """
    arrays: list[Any] = [step, emission, before, weights, scale]
    xp: Any = torch
    if step.device.type == "cpu":
        arrays, xp = [array.numpy() for array in arrays], np
    step, emission, before, weights, scale = arrays
    for t in range(1, len(emission)):
        # (2, B, T) x (2, T, T)
        xp.matmul(weights[t - 1], step, out=before[t])
        xp.multiply(before[t], emission[t], out=weights[t])
        xp.sum(weights[t], axis=-1, keepdims=True, out=scale[t])
        xp.divide(weights[t], scale[t], out=weights[t])


def _real(lengths: Tensor, length: int) -> Tensor:
    """Which positions are characters: `[batch, length]`."""
    return torch.arange(length, device=lengths.device) < lengths[:, None]


def _with_boundary(values: Tensor, lengths: Tensor, outside: float, inside: float) -> Tensor:
    """Time-major values, with the boundary as the last tag and a step for it on either side.

    Args:
        values: `[batch, length, tags]`.
        lengths: `[batch]`.
        outside: the value where a tag cannot be.
        inside: the value of the boundary where it has to be.

    Returns:
        `[length + 2, batch, tags + 1]`.
    """
    batch, length, size = values.shape
    real = _real(lengths, length)
    table = values.new_full((length + 2, batch, size + 1), outside)
    table[1:-1, :, :-1] = torch.where(real[..., None], values, outside).transpose(0, 1)
    table[0, :, -1] = table[-1, :, -1] = inside
    table[1:-1, :, -1] = torch.where(real, outside, inside).t()
    return table
