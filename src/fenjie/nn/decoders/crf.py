"""Linear-chain conditional random field: the loss (Lafferty et al. 2001).

Decoding is numpy's, by the scores of `Crf.table`: `fenjie.runtime.decoding.crf`. It is the same for
dev scores in training, PyTorch and exported models.

The sentence boundary is one more tag, the last. It stands before the first character, after the
last one and on padding, where it follows itself; so begin and end scores are transitions from and
to it, and sentences of different lengths need no case of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from fenjie.nn.layout import real_places
from fenjie.text.tags import TagSet

LOWEST = -200.0
"""A tag counts as this much worse than the best tag of its character, if it is worse yet.

Probabilities are float64, which hold e^-708 and more. The tags of three characters bound how
much less likely one state can be than another of the same character, before the transitions.
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
            constrained: whether transitions that the scheme forbids are impossible.
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
            tags: gold tags, `[batch, length]`; anything at padding.
            lengths: characters of each sentence, `[batch]`.

        Returns:
            A scalar, float32 or better; infinite where the gold tags are forbidden.
        """
        # Half precision would lose the difference of two terms in the gradient.
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        pairs = self._pairs()
        log_z: Tensor = _LogPartition.apply(scores, pairs, lengths)  # type: ignore[no-untyped-call]
        batch, length, size = scores.shape
        real = real_places(lengths, length)
        # (B, N+2): the boundary before and after
        path = tags.new_full((batch, length + 2), size)
        path[:, 1:-1] = torch.where(real, tags, size)
        own = scores.gather(2, torch.where(real, tags, 0)[..., None])[..., 0]
        own = torch.where(real, own, 0.0).double().sum()
        steps = pairs[path[:, :-1], path[:, 1:]].double().sum()
        loss = (log_z.sum() - own - steps) / batch
        return loss.to(scores.dtype)

    def partial_loss(self, scores: Tensor, allowed: Tensor, lengths: Tensor) -> Tensor:
        """Mean over the sentences of the negative log probability that their tags are allowed.

        For gold of which some tags are unknown: the probability is the sum over all paths that
        agree with what is known (Tsuboi et al. 2008). Where one tag is allowed at each character,
        it is `loss`.

        Args:
            scores: score of each tag, `[batch, length, tags]`.
            allowed: whether a tag may be the right one, `[batch, length, tags]`; anything at
                padding. At least one path that the scheme permits must be allowed.
            lengths: characters of each sentence, `[batch]`.

        Returns:
            A scalar, float32 or better.
        """
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        # (2B, N, T): all paths, then the allowed ones
        mask = torch.cat((torch.ones_like(allowed), allowed))
        log_z: Tensor = _LogPartition.apply(  # type: ignore[no-untyped-call]
            scores.repeat(2, 1, 1), self._pairs(), lengths.repeat(2), mask
        )
        every, some = log_z.chunk(2)
        return ((every - some).sum() / len(scores)).to(scores.dtype)

    @torch.no_grad()
    def table(self) -> Tensor:
        """The scores for decoding, `[tags + 2, tags]`: transitions from each tag, begin, end."""
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
    """log Z of each sentence, over all paths or those of allowed tags.

    Its gradient is marginals, found in the same loop.
    """

    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, pairs: Tensor, lengths: Tensor, allowed: Tensor | None = None
    ) -> Tensor:
        chain = _Chain(scores, pairs, lengths, allowed)
        # It holds no input or output of this function: no cycle keeps it alive.
        ctx.chain = chain
        ctx.types = scores.dtype, pairs.dtype
        return chain.log_z()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None, None]:
        chain: _Chain = ctx.chain
        scores, pairs = ctx.types
        marginals = chain.marginals() * gradient[:, None, None]
        return marginals.to(scores), chain.pair_counts(gradient).to(pairs), None, None


class _Chain:
    """Forward-backward over a batch, in both directions at once, scaled to sum 1 at each step.

    With E the exponentials of the scores and A those of the pairs, the forward weights of step t
    are `f_t = E_t * (f_{t-1} A)`, and the backward weights, own score included, are
    `b_t = E_t * (b_{t+1} A^T)`: the same recursion on the reversed sentence.
    """

    def __init__(
        self, scores: Tensor, pairs: Tensor, lengths: Tensor, allowed: Tensor | None = None
    ) -> None:
        scores = scores.double()
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -torch.inf)
        top = scores.amax(-1, keepdim=True)
        self.highest = pairs.max().double()
        self.step = (pairs.double() - self.highest).exp()
        emission = (scores - top).clamp_(min=LOWEST).exp_()
        if allowed is not None:
            emission = emission.masked_fill(~allowed, 0.0)
        emission = _with_boundary(emission, lengths)
        self.top = torch.where(real_places(lengths, scores.shape[1]), top[..., 0], 0.0)
        # (N+2, 2, B, T+1): forwards, and from the end backwards
        both = torch.stack((emission, emission.flip(0)), dim=1)
        ways = torch.stack((self.step, self.step.t()))
        before, weights, scale = recur(np if both.device.type == "cpu" else torch, ways, both)
        self.scale = scale[:, 0]
        # (N+1, B, T+1): each step but the last, the next one with all after it, and the latter
        # as the former sees it
        self.here, self.next = weights[:-1, 0], weights[:-1, 1].flip(0)
        self.after = before[1:, 1].flip(0)
        self.total = (self.here * self.after).sum(-1, keepdim=True)

    def log_z(self) -> Tensor:
        """The logarithm of the sum over all paths, `[batch]`."""
        scale = self.scale.log().sum(0)
        result: Tensor = scale + self.top.sum(1) + self.highest * len(self.here)
        return result

    def marginals(self) -> Tensor:
        """The probability of each tag of each character, `[batch, length, tags]`; 0 at padding."""
        joint = self.here * self.after / self.total
        return joint[1:, :, :-1].transpose(0, 1)

    def pair_counts(self, weight: Tensor) -> Tensor:
        """Expected counts of pairs, `[tags + 1, tags + 1]`, by a weight of each sentence."""
        here = self.here * (weight[:, None] / self.total)
        return (here.flatten(0, 1).t() @ self.next.flatten(0, 1)) * self.step


def recur(xp: Any, ways: Tensor, emission: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The loop over the characters: `w_t = E_t * (w_{t-1} A) / scale`, from `w_0 = E_0`.

    Args:
        xp: torch, or on the CPU numpy, on the memory of the same tensors; a small
            operation costs it a fifth of torch's.
        ways: A of each direction, `[2, tags, tags]`.
        emission: E, `[steps, 2, batch, tags]`.

    Returns:
        `w_{t-1} A` and w, `[steps, 2, batch, tags]` each (nothing at step 0 of the first), and the
        scale, `[steps, 2, batch]`: w sums to 1, but at step 0.
    """
    before, weights = torch.empty_like(emission), torch.empty_like(emission)
    weights[0] = emission[0]
    scale = emission.new_ones(*emission.shape[:-1], 1)
    ones = emission.new_ones(emission.shape[-1], 1)
    tensors = ways, emission, before, weights, scale, ones
    a, e, b, w, s, o = (t.numpy() for t in tensors) if xp is np else tensors
    for t in range(1, len(emission)):
        # (2, B, T) x (2, T, T), then (2, B, T) x (T, 1)
        xp.matmul(w[t - 1], a, out=b[t])
        xp.multiply(b[t], e[t], out=w[t])
        xp.matmul(w[t], o, out=s[t])
        xp.divide(w[t], s[t], out=w[t])
    return before, weights, scale[..., 0]


def _with_boundary(weights: Tensor, lengths: Tensor) -> Tensor:
    """Time-major weights, with the boundary as the last tag and a step for it on either side.

    `[batch, length, tags] -> [length + 2, batch, tags + 1]`
    """
    batch, length, size = weights.shape
    real = real_places(lengths, length)
    table = weights.new_zeros((length + 2, batch, size + 1))
    table[1:-1, :, :-1] = torch.where(real[..., None], weights, 0.0).transpose(0, 1)
    table[0, :, -1] = table[-1, :, -1] = 1.0
    table[1:-1, :, -1] = torch.where(real, 0.0, 1.0).t()
    return table
