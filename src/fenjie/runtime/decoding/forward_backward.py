"""Forward-backward over a batch of sentences, in numpy.

Sentences are sorted, the longest first, so that at each step those that have not ended stand
together, and nothing is computed at padding.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError

Scores = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOWEST = -200.0
"""A tag counts as this much worse than the best tag of its character, if it is worse yet.

So no probability within a few characters is too small for float64, which holds e^-708.
"""

_EXPONENT, _STEPS = 650, 16
"""The smallest weight before it is scaled, as a power of e; the most steps until then."""


class Steps(NamedTuple):
    """Transitions for `ForwardBackward`: A, the exponentials of the scores less the highest.

    Attributes:
        inside: between tags, `[tags, tags]`.
        edges: to the first tag, then from the last, `[2 * tags]`.
        both: `inside` forwards, then backwards, as blocks of one matrix with 0 elsewhere,
            `[2 * tags, 2 * tags]`.
        spread: the logarithm of 1 over the least that is not 0.
    """

    inside: Floats
    edges: Floats
    both: Floats
    spread: float

    @classmethod
    def of(cls, table: Scores) -> Steps:
        """Prepare a table, `[tags + 2, tags]`."""
        finite = table[np.isfinite(table)].astype(np.float64)
        highest = finite.max(initial=-np.inf)
        every = np.exp(table.astype(np.float64) - highest)
        inside, size = every[:-2], every.shape[1]
        both = np.zeros((2 * size, 2 * size))
        both[:size, :size], both[size:, size:] = inside, inside.T
        return cls(inside, every[-2:].ravel(), both, float(highest - finite.min(initial=np.inf)))


class Rows(NamedTuple):
    """The sentences of a batch, sorted.

    Attributes:
        order: their numbers, the longest first, `[batch]`.
        sizes: the number of characters of each of these.
        last: its last character; 0 where it has none.
        uneven: whether any is shorter than the batch.
        stretches: the characters from the second on as stretches in which the same sentences go
            on: first and last (exclusive) character, number of sentences.
    """

    order: Ints
    sizes: Ints
    last: Ints
    uneven: bool
    stretches: list[tuple[int, int, int]]

    @classmethod
    def of(cls, lengths: Ints, length: int) -> Rows:
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
        uneven = bool(len(sizes)) and int(sizes[-1]) < length
        return cls(order, sizes, np.maximum(sizes - 1, 0), uneven, stretches)


class Stretches(NamedTuple):
    """Some stretches of characters, and all their characters, one stretch after the other.

    Attributes:
        first: which of the characters is the first of each stretch, `[stretches]`.
        row: the sentence of each character, `[characters]`.
        at: its place in the sentence.
    """

    first: Ints
    row: Ints
    at: Ints

    @classmethod
    def of(cls, row: Ints, start: Ints, end: Ints) -> Stretches:
        """Stretches by their sentence, first character and the one after the last."""
        sizes = end - start
        first = np.cumsum(sizes) - sizes
        at = np.arange(sizes.sum()) + np.repeat(start - first, sizes)
        return cls(first, np.repeat(row, sizes), at)

    @property
    def last(self) -> Ints:
        """Which of the characters is the last of each stretch."""
        return np.append(self.first[1:], len(self.at)) - 1


class ForwardBackward:
    """Forward-backward over a batch, in both directions at once.

    With E the exponentials of the scores and A those of the pairs, the forward weights of step t
    are `f_t = E_t * (f_{t-1} A)`, and the backward weights, own score included, are
    `b_t = E_t * (b_{t+1} A^T)`: the same recursion on the reversed sentence. Weights are divided
    by their sum wherever they could become too small.

    Each array is made once: what one batch allocates costs more time than its arithmetic.

    Attributes:
        rows: the order of the sentences, in which all else stands.
        steps: A.
        emission: E, `[length, batch, tags]`; like all, anything at padding.
        forward: f.
        scale: the divisor of f, `[length, batch]`.
    """

    def __init__(self, scores: Scores, lengths: Ints, steps: Steps) -> None:
        batch, length, size = scores.shape
        self.rows = rows = Rows.of(lengths, length)
        self.steps = steps
        sorted_scores = scores[rows.order].transpose(1, 0, 2)
        if rows.uneven:
            padding = np.arange(length)[:, None] >= rows.sizes
            np.copyto(sorted_scores, 0, where=padding[..., None])
        self.emission = shifted = np.empty((length, batch, size))
        np.subtract(sorted_scores, sorted_scores.max(axis=-1, keepdims=True), out=shifted)
        np.maximum(shifted, LOWEST, out=shifted)
        least = steps.spread - shifted.min(initial=0)
        if least != least:
            raise FenjieError("the model gives scores that are no numbers")
        every = int(max(min(_EXPONENT // max(least, 1), _STEPS), 1))
        np.exp(shifted, out=shifted)
        # (N, B, 2T): forwards, and from the end of each sentence backwards
        weights = np.empty((length, batch, 2 * size))
        self.forward, self._backward = weights[..., :size], weights[..., size:]
        self.forward[:] = self.emission
        self._turn(self.emission, self._backward)
        weights[:1] *= steps.edges
        self.scale, ahead = np.ones((length, batch)), np.empty((batch, 2 * size))
        for first, last, count in rows.stretches:
            some, before = weights[:, :count], ahead[:count]
            weight = some[first - 1]
            for t, here in enumerate(some[first:last], first):
                # One product for both directions: half of it is with 0, but a call costs more.
                np.dot(weight, steps.both, out=before)
                weight = np.multiply(here, before, out=here)
                if t % every == 0:
                    each = weight.reshape(count, 2, size)
                    total = each.sum(axis=-1, keepdims=True)
                    each /= total
                    self.scale[t, :count] = total[:, 0, 0]

    def _turn(self, source: Floats, target: Floats) -> None:
        """Turn each sentence round; 0 at padding: `[length, batch, tags]`."""
        if not self.rows.uneven:
            target[:] = source[::-1]
            return
        target[:] = 0
        for row, size in enumerate(self.rows.sizes.tolist()):
            target[:size, row] = source[size - 1 :: -1, row][:size]

    @cached_property
    def joint(self) -> Floats:
        """The weight of all paths through each tag, up to a factor a character."""
        found = np.empty_like(self.emission)
        self._turn(self._backward, found)
        found *= self.forward
        found /= self.emission
        return found

    @cached_property
    def total(self) -> Floats:
        """The weight of all paths at each character, `[length, batch]`."""
        found: Floats = self.joint.sum(axis=-1)
        return found

    @cached_property
    def _places(self) -> Ints:
        """Where each sentence stands."""
        return np.argsort(self.rows.order)

    def behind(self, at: Ints, row: Ints, tag: Ints) -> Floats:
        """The weight of all that stands after tags, `b_{t+1} A^T`."""
        back = np.maximum(self.rows.sizes[row] - 1 - at, 0)
        found: Floats = self._backward[back, row, tag] / self.emission[at, row, tag]
        return found

    def probability(self, spans: Stretches, tag: Ints) -> Floats:
        """The probability of each of some stretches of characters with their tags: `[stretches]`.

        Args:
            spans: the stretches.
            tag: the tag of each of their characters.
        """
        if not len(tag):
            return np.zeros(0)
        at, row = spans.at, self._places[spans.row]
        first, last = spans.first, spans.last
        # What each tag multiplies: at the first what stands before it is in `forward` already
        factor = self.emission[at, row, tag] / self.scale[at, row]
        factor[1:] *= self.steps.inside[tag[:-1], tag[1:]]
        factor[first] = self.forward[at[first], row[first], tag[first]]
        at, row = at[last], row[last]
        factor[last] *= self.behind(at, row, tag[last]) / self.total[at, row]
        found: Floats = np.multiply.reduceat(factor, first)
        return found.clip(0.0, 1.0)
