"""Decoding with a linear-chain CRF, in numpy: best tags, probabilities of tags and of spans.

Tables are as `fenjie.nn.crf.Crf.table` gives them, `[tags + 2, tags]`: the scores of transitions
from each tag, then of the first tag, then of the last; -inf is forbidden. As in training, the
sentence boundary is one more tag, the last, which stands around the sentence and on padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError
from fenjie.text.schemes import Scheme
from fenjie.text.span import Span
from fenjie.text.tags import TagSet

Scores = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]

NO_TAG = -1
"""The tag at padding; among fixed tags, that of a character whose tag is free."""

LOWEST = -200.0
"""A tag counts as this much worse than the best tag of its character, if it is worse yet.

So no probability within a few characters is too small for float64, which holds e^-708.
"""


def viterbi(scores: Scores, lengths: Ints, table: Scores, fixed: Ints | None = None) -> Ints:
    """The best tags of each sentence.

    Of equally good paths it is the one with the smaller tag where, seen from the end, they first
    differ.

    Args:
        scores: score of each tag, `[batch, length, tags]`.
        lengths: characters of each sentence, `[batch]`.
        table: `[tags + 2, tags]`.
        fixed: tags that must be, `[batch, length]`, `NO_TAG` where any may. In BIO a fixed span
            may go on behind its last fixed tag.

    Returns:
        `[batch, length]`, `NO_TAG` at padding.

    Raises:
        FenjieError: no path that the table allows has the fixed tags.
    """
    if fixed is not None:
        free = (fixed == NO_TAG)[..., None] | (fixed[..., None] == np.arange(scores.shape[2]))
        scores = np.where(free, scores, -np.inf)
    emission = _with_boundary(scores, lengths, outside=-np.inf, inside=0.0)
    pairs = _pairs(table).astype(emission.dtype)
    steps, batch, size = emission.shape
    # (T from, B, T to): the maximum over the first axis is the one that numpy vectorises
    each = np.ascontiguousarray(np.broadcast_to(pairs[:, None], (size, batch, size)))
    ways = np.empty_like(each)
    best = np.empty_like(emission)
    best[0] = emission[0]
    for t in range(1, steps):
        np.add(best[t - 1].T[:, :, None], each, out=ways)
        np.maximum.reduce(ways, axis=0, out=best[t])
        best[t] += emission[t]
    lost = np.flatnonzero(best[-1, :, -1] == -np.inf)
    if len(lost):
        raise FenjieError(f"no allowed tags of sentence {lost[0]} of the batch have the fixed ones")
    # Where each tag on the path came from is found again: cheaper than to note it for all tags.
    came_from = np.ascontiguousarray(pairs.T)
    path = np.full((steps, batch), size - 1, dtype=np.int64)
    for t in range(steps - 1, 0, -1):
        path[t - 1] = (best[t - 1] + came_from[path[t]]).argmax(axis=1)
    tags = path[1:-1].T
    return np.where(tags < size - 1, tags, NO_TAG)


def marginals(scores: Scores, lengths: Ints, table: Scores) -> NDArray[np.float64]:
    """The probability of each tag of each character, `[batch, length, tags]`; 0 at padding.

    Args:
        scores: `[batch, length, tags]`.
        lengths: `[batch]`.
        table: `[tags + 2, tags]`.
    """
    chain = _Chain(scores, lengths, table)
    joint: NDArray[np.float64] = chain.forward * chain.behind / chain.total[..., None]
    return joint[1:-1, :, :-1].transpose(1, 0, 2)


def confidence(
    scores: Scores,
    lengths: Ints,
    table: Scores,
    tags: TagSet,
    spans: Sequence[Sequence[Span]],
) -> list[NDArray[np.float64]]:
    """The probability that exactly this span with this label stands there: the sum over all paths.

    The paths are those with the tags that `TagSet.encode` writes for the span.

    Args:
        scores: `[batch, length, tags]`.
        lengths: `[batch]`.
        table: `[tags + 2, tags]`.
        tags: the tags that are scored.
        spans: any spans inside of each sentence; they may overlap.

    Returns:
        For each sentence an array of as many probabilities as it has spans.

    Raises:
        FenjieError: a label is not among those of the tags.
    """
    counts = [len(each) for each in spans]
    places = [(row, span) for row, each in enumerate(spans) for span in each]
    if not places:
        return [np.zeros(0) for _ in spans]
    chain = _Chain(scores, lengths, table)
    paths = [
        (row, span.start, tags.path(span.label, span.end - span.start)) for row, span in places
    ]
    found = chain.probability(paths)
    if tags.scheme is Scheme.BIO:
        # Nothing marks the last character: take away what goes on behind it.
        room = [at for at, (row, span) in enumerate(places) if span.end < lengths[row]]
        longer = [
            (row, span.start, tags.path(span.label, span.end - span.start + 1))
            for row, span in map(places.__getitem__, room)
        ]
        if longer:
            found[room] -= chain.probability(longer)
    return np.split(found.clip(0.0, 1.0), np.cumsum(counts)[:-1])


class _Chain:
    """Forward-backward over a batch, in both directions at once, scaled to sum 1 at each step.

    With E the exponentials of the scores and A those of the pairs, the forward weights of step t
    are `f_t = E_t * (f_{t-1} A)`, and the backward weights, own score included, are
    `b_t = E_t * (b_{t+1} A^T)`: the same recursion on the reversed sentence.

    Attributes:
        step: A, `[tags + 1, tags + 1]`.
        emission: E, `[length + 2, batch, tags + 1]`.
        forward: f.
        scale: what f was divided by, `[length + 2, batch]`.
        behind: weight of all that stands behind a tag, `b_{t+1} A^T`.
        total: `f_t` times that, summed over the tags, `[length + 2, batch]`.
    """

    def __init__(self, scores: Scores, lengths: Ints, table: Scores) -> None:
        pairs = _pairs(table).astype(np.float64)
        self.step = np.exp(pairs - pairs.max())
        shifted = scores - scores.max(axis=-1, keepdims=True)
        np.maximum(shifted, LOWEST, out=shifted)
        self.emission = _with_boundary(
            np.exp(shifted.astype(np.float64)), lengths, outside=0.0, inside=1.0
        )
        steps, batch, size = self.emission.shape
        # (N+2, 2, B, T+1): forwards, and from the end backwards
        both = np.stack((self.emission, self.emission[::-1]), axis=1)
        ways = np.stack((self.step, self.step.T))
        before, weights = np.ones_like(both), both.copy()
        scale, ones = np.ones((steps, 2, batch, 1)), np.ones((size, 1))
        for t in range(1, steps):
            # (2, B, T) x (2, T, T)
            np.matmul(weights[t - 1], ways, out=before[t])
            np.multiply(before[t], both[t], out=weights[t])
            np.matmul(weights[t], ones, out=scale[t])
            np.divide(weights[t], scale[t], out=weights[t])
        self.forward, self.scale = weights[:, 0], scale[:, 0, :, 0]
        self.behind = before[::-1, 1]
        self.total = (self.forward * self.behind).sum(axis=-1)

    def probability(self, paths: Sequence[tuple[int, int, Ints]]) -> NDArray[np.float64]:
        """The probability of each stretch of tags, given as sentence, first character and tags."""
        sizes = np.array([len(tags) for _, _, tags in paths])
        first = np.cumsum(sizes) - sizes
        last = first + sizes - 1
        tag = np.concatenate([tags for _, _, tags in paths])
        row = np.repeat([row for row, _, _ in paths], sizes)
        # Step 0 is the boundary: character 0 is step 1.
        at = np.arange(len(tag)) + np.repeat([start + 1 for _, start, _ in paths] - first, sizes)
        # What each tag multiplies: at the first what stands before it is in `forward` already
        factor = self.step[np.roll(tag, 1), tag] * self.emission[at, row, tag] / self.scale[at, row]
        factor[first] = self.forward[at[first], row[first], tag[first]]
        factor[last] *= (self.behind[at, row, tag] / self.total[at, row])[last]
        with np.errstate(divide="ignore"):
            return np.exp(np.add.reduceat(np.log(factor), first))


def _pairs(table: Scores) -> Scores:
    """The score of each pair of neighbours, boundary included: `[tags + 1, tags + 1]`."""
    size = table.shape[1]
    pairs = np.zeros((size + 1, size + 1), dtype=table.dtype)
    pairs[:, :size], pairs[:size, size] = table[:-1], table[-1]
    return pairs


def _with_boundary(values: Scores, lengths: Ints, outside: float, inside: float) -> Scores:
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
    real = np.arange(length)[:, None] < lengths
    table = np.full((length + 2, batch, size + 1), outside, dtype=values.dtype)
    table[1:-1, :, :-1] = np.where(real[..., None], values.transpose(1, 0, 2), outside)
    table[[0, -1], :, -1] = inside
    table[1:-1, :, -1] = np.where(real, outside, inside)
    return table
