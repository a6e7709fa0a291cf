"""Decoding with a linear-chain CRF, in numpy: best tags, probabilities of tags and of spans.

Tables are as `fenjie.nn.crf.Crf.table` gives them, `[tags + 2, tags]`: the scores of transitions
from each tag, then of the first tag, then of the last; -inf is forbidden.

Sentences are sorted, the longest first, so that at each step those that have not ended stand
together, and nothing is computed at padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError
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

_ROOM, _STEPS = 650, 16
"""How small a weight may become before it is scaled, as a power of e; the most steps until then."""


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
    batch, length, size = scores.shape
    if not length:
        return np.empty((batch, 0), dtype=np.int64)
    rows = _Rows.of(lengths, length)
    table = table.astype(scores.dtype)
    pairs, begin, end = table[:-2], table[-2], table[-1]
    # (N, B, T)
    best = scores[rows.order].transpose(1, 0, 2).astype(scores.dtype, order="C")
    best[0] += begin
    # (T from, B, T to): the maximum over the first axis is the one that numpy vectorises
    each = np.ascontiguousarray(np.broadcast_to(pairs[:, None], (size, batch, size)))
    ways = np.empty(each.shape, dtype=best.dtype)
    columns = best.transpose(0, 2, 1)[..., None]
    for first, last, count in rows.stretches:
        way, pair, found = ways[:, :count], each[:, :count], np.empty((count, size), best.dtype)
        before, here = columns[first - 1 : last - 1, :, :count], best[first:last, :count]
        for column, row in zip(before, here, strict=True):
            np.add(column, pair, out=way)
            np.maximum.reduce(way, axis=0, out=found)
            np.add(row, found, out=row)
    final = best[rows.last, np.arange(batch)] + end
    lost = rows.order[(final.max(axis=1) == -np.inf) & (rows.sizes > 0)]
    if len(lost):
        raise FenjieError(
            f"no allowed tags of sentence {lost.min()} of the batch have the fixed ones"
        )
    # Where each tag on the path came from is found again: cheaper than to note it for all tags.
    came_from = np.ascontiguousarray(pairs.T)
    path = np.full((length, batch), NO_TAG, dtype=np.int64)
    path[rows.last, np.arange(batch)] = np.where(rows.sizes > 0, final.argmax(axis=1), NO_TAG)
    for first, last, count in reversed(rows.stretches):
        for t in range(last - 1, first - 1, -1):
            way = best[t - 1, :count] + came_from.take(path[t, :count], axis=0)
            path[t - 1, :count] = way.argmax(axis=1)
    tags = np.empty((batch, length), dtype=np.int64)
    tags[rows.order] = path.T
    return tags


def marginals(scores: Scores, lengths: Ints, table: Scores) -> NDArray[np.float64]:
    """The probability of each tag of each character, `[batch, length, tags]`; 0 at padding.

    Args:
        scores: `[batch, length, tags]`.
        lengths: `[batch]`.
        table: `[tags + 2, tags]`.
    """
    chain = _Chain(scores, lengths, table)
    places = np.arange(scores.shape[1])[:, None], np.arange(len(lengths))
    joint = chain.forward * chain.behind(*np.broadcast_arrays(*places))
    total = joint.sum(axis=-1, keepdims=True)
    found = np.zeros(scores.shape)
    found[chain.rows.order] = np.divide(
        joint, total, out=np.zeros_like(joint), where=total > 0
    ).transpose(1, 0, 2)
    return found


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
    row = np.repeat(np.arange(len(spans)), counts)
    paths = [tags.path(span.label, span.end - span.start) for each in spans for span in each]
    start = np.array([span.start for each in spans for span in each], dtype=np.int64)
    found = certainty(scores, lengths, table, tags, row, start, paths)
    return np.split(found, np.cumsum(counts)[:-1])


def certainty(
    scores: Scores,
    lengths: Ints,
    table: Scores,
    tags: TagSet,
    row: Ints,
    start: Ints,
    paths: Sequence[Ints],
) -> NDArray[np.float64]:
    """`confidence`, for spans of which the tags are known.

    Args:
        scores: `[batch, length, tags]`.
        lengths: `[batch]`.
        table: `[tags + 2, tags]`.
        tags: the tags that are scored.
        row: the sentence of each span, `[spans]`.
        start: its first character, `[spans]`.
        paths: its tags, one array each.

    Returns:
        `[spans]`.
    """
    if not len(row):
        return np.zeros(0)
    chain = _Chain(scores, lengths, table)
    sizes = np.array([len(path) for path in paths])
    tag = np.concatenate(paths)
    found = chain.probability(row, start, sizes, tag)
    # Where nothing marks the last character, what goes on behind it is taken away.
    goes_on = tags.allowed & ~tags.begins
    ends = tag[np.cumsum(sizes) - 1]
    room = np.flatnonzero(goes_on[ends].any(axis=1) & (start + sizes < lengths[row]))
    if len(room):
        longer = [np.append(paths[at], goes_on[ends[at]].argmax()) for at in room.tolist()]
        found[room] -= chain.probability(
            row[room], start[room], sizes[room] + 1, np.concatenate(longer)
        )
    return found.clip(0.0, 1.0)


class _Rows(NamedTuple):
    """The sentences of a batch, sorted.

    Attributes:
        order: their numbers, the longest first, `[batch]`.
        sizes: how many characters each of these has.
        last: its last character; 0 where it has none.
        stretches: the characters from the second on as stretches in which the same sentences go
            on: first and last (exclusive) character, number of sentences.
    """

    order: Ints
    sizes: Ints
    last: Ints
    stretches: list[tuple[int, int, int]]

    @classmethod
    def of(cls, lengths: Ints, length: int) -> _Rows:
        """Sort the sentences of a batch, padded to `length`."""
        order = np.argsort(-lengths, kind="stable")
        sizes = lengths[order]
        stretches = []
        first = 1
        for count in range(len(sizes), 0, -1):
            size = int(sizes[count - 1])
            if size > first:
                stretches.append((first, size, count))
                first = size
        return cls(order, sizes, np.maximum(sizes - 1, 0), stretches)


class _Chain:
    """Forward-backward over a batch, in both directions at once.

    With E the exponentials of the scores and A those of the pairs, the forward weights of step t
    are `f_t = E_t * (f_{t-1} A)`, and the backward weights, own score included, are
    `b_t = E_t * (b_{t+1} A^T)`: the same recursion on the reversed sentence. Weights are divided
    by their sum wherever they could become too small.

    Attributes:
        rows: the order of the sentences, in which all else stands.
        step: A, `[tags, tags]`.
        emission: E, `[length, batch, tags]`.
        forward: f; 0 at padding.
        scale: what f was divided by, `[length, batch]`.
    """

    def __init__(self, scores: Scores, lengths: Ints, table: Scores) -> None:
        batch, length, _ = scores.shape
        self.rows = rows = _Rows.of(lengths, length)
        real = np.arange(length)[:, None] < rows.sizes
        shifted = scores[rows.order].transpose(1, 0, 2).astype(np.float64, order="C")
        shifted[~real] = 0
        shifted -= shifted.max(axis=-1, keepdims=True)
        np.maximum(shifted, LOWEST, out=shifted)
        finite = table[np.isfinite(table)]
        highest, lowest = finite.max(initial=-np.inf), finite.min(initial=np.inf)
        steps = np.exp(table.astype(np.float64) - highest)
        self.step = steps[:-2]
        least = highest - lowest - shifted.min(initial=0)
        every = int(np.clip(_ROOM // max(least, 1), 1, _STEPS))
        self.emission = np.exp(shifted, out=shifted)
        # (N, 2, B, T): forwards, and from the end of each sentence backwards
        back = np.maximum(rows.sizes - 1 - np.arange(length)[:, None], 0)
        both = np.stack((self.emission, self.emission[back, np.arange(batch)]), axis=1)
        both[~real[:, None].repeat(2, 1)] = 0
        ways = np.stack((self.step, self.step.T))
        before, scale = np.zeros_like(both), np.ones((length, 2, batch, 1))
        before[:1] = steps[-2:, None]
        both[:1] *= before[:1]
        for first, last, count in rows.stretches:
            weight, ahead = both[:, :, :count], before[:, :, :count]
            for t in range(first, last):
                # (2, B, T) x (2, T, T)
                np.matmul(weight[t - 1], ways, out=ahead[t])
                np.multiply(weight[t], ahead[t], out=weight[t])
                if t % every == 0:
                    total = weight[t].sum(axis=-1, keepdims=True)
                    weight[t] /= total
                    scale[t, :, :count] = total
        self.forward, self.scale = both[:, 0], scale[:, 0, :, 0]
        self._before = before[:, 1]

    def behind(self, at: Ints, row: Ints) -> NDArray[np.float64]:
        """The weight of all that stands behind each tag, `b_{t+1} A^T`: `[..., tags]`.

        Args:
            at: characters of sentences, `[...]`.
            row: the places of the sentences, `[...]`.
        """
        ahead: NDArray[np.float64] = self._before[np.maximum(self.rows.sizes[row] - 1 - at, 0), row]
        return ahead

    def probability(self, row: Ints, start: Ints, sizes: Ints, tag: Ints) -> NDArray[np.float64]:
        """The probability of each of some stretches of tags.

        Args:
            row: the number of the sentence of each, `[stretches]`.
            start: its first character.
            sizes: how many characters it has.
            tag: the tags of all, one stretch behind the other.
        """
        first = np.cumsum(sizes) - sizes
        last = first + sizes - 1
        row = np.repeat(np.argsort(self.rows.order)[row], sizes)
        at = np.arange(len(tag)) + np.repeat(start - first, sizes)
        # What each tag multiplies: at the first what stands before it is in `forward` already
        factor = self.step[np.roll(tag, 1), tag] * self.emission[at, row, tag] / self.scale[at, row]
        factor[first] = self.forward[at[first], row[first], tag[first]]
        behind = self.behind(at[last], row[last])
        total = (self.forward[at[last], row[last]] * behind).sum(axis=-1)
        factor[last] *= behind[np.arange(len(last)), tag[last]] / total
        with np.errstate(divide="ignore"):
            found: NDArray[np.float64] = np.exp(np.add.reduceat(np.log(factor), first))
        return found
