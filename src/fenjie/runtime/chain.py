"""Forward-backward over a batch of sentences, in numpy: what probabilities are made of.

Sentences are sorted, the longest first, so that at each step those that have not ended stand
together, and nothing is computed at padding.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOWEST = -200.0
"""A tag counts as this much worse than the best tag of its character, if it is worse yet.

So no probability within a few characters is too small for float64, which holds e^-708.
"""

_ROOM, _STEPS = 650, 16
"""How small a weight may become before it is scaled, as a power of e; the most steps until then."""


class Steps(NamedTuple):
    """Transitions as `Chain` needs them: A, the exponentials of what is left below the highest.

    Attributes:
        inside: between tags, `[tags, tags]`.
        edges: to the first tag, and from the last, `[2, tags]`.
        both: `inside` forwards, and backwards, `[2, tags, tags]`.
        spread: the logarithm of 1 over the least that is not 0.
    """

    inside: Floats
    edges: Floats
    both: Floats
    spread: float

    @classmethod
    def of(cls, table: Scores) -> Steps:
        """Those of a table, `[tags + 2, tags]`."""
        finite = table[np.isfinite(table)].astype(np.float64)
        highest = finite.max(initial=-np.inf)
        every = np.exp(table.astype(np.float64) - highest)
        inside = every[:-2]
        both = np.stack((inside, inside.T))
        return cls(inside, every[-2:], both, float(highest - finite.min(initial=np.inf)))


class Rows(NamedTuple):
    """The sentences of a batch, sorted.

    Attributes:
        order: their numbers, the longest first, `[batch]`.
        sizes: how many characters each of these has.
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
    """Some stretches of characters, and all their characters, one stretch behind the other.

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
        """Stretches by their sentence, first character and the one behind the last."""
        sizes = end - start
        first = np.cumsum(sizes) - sizes
        at = np.arange(sizes.sum()) + np.repeat(start - first, sizes)
        return cls(first, np.repeat(row, sizes), at)

    @property
    def last(self) -> Ints:
        """Which of the characters is the last of each stretch."""
        return np.append(self.first[1:], len(self.at)) - 1


class Chain:
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
        scale: what f was divided by, `[length, batch]`.
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
        every = int(max(min(_ROOM // max(least, 1), _STEPS), 1))
        np.exp(shifted, out=shifted)
        # (N, 2, B, T): forwards, and from the end of each sentence backwards
        self._weights = weights = np.empty((length, 2, batch, size))
        weights[:, 0] = self.emission
        self._turn(self.emission, weights[:, 1])
        weights[:1] *= steps.edges[:, None]
        scale, ahead = np.ones((length, 2, batch, 1)), np.empty((2, batch, size))
        for first, last, count in rows.stretches:
            some, before = weights[:, :, :count], ahead[:, :count]
            weight = some[first - 1]
            for t in range(first, last):
                # (2, B, T) x (2, T, T)
                np.matmul(weight, steps.both, out=before)
                weight = some[t]
                np.multiply(weight, before, out=weight)
                if t % every == 0:
                    total = weight.sum(axis=-1, keepdims=True)
                    weight /= total
                    scale[t, :, :count] = total
        self.forward, self.scale = weights[:, 0], scale[:, 0, :, 0]

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
        self._turn(self._weights[:, 1], found)
        found *= self.forward
        found /= self.emission
        return found

    @cached_property
    def total(self) -> Floats:
        """The weight of all paths at each character, `[length, batch]`."""
        found: Floats = self.joint.sum(axis=-1)
        return found

    def behind(self, at: Ints, row: Ints, tag: Ints) -> Floats:
        """The weight of all that stands behind tags, `b_{t+1} A^T`."""
        back = np.maximum(self.rows.sizes[row] - 1 - at, 0)
        found: Floats = self._weights[back, 1, row, tag] / self.emission[at, row, tag]
        return found

    def probability(self, spans: Stretches, tag: Ints) -> Floats:
        """The probability of each of some stretches of tags, given one behind the other."""
        at, row = spans.at, np.argsort(self.rows.order)[spans.row]
        first, last = spans.first, spans.last
        own = self.emission[at, row, tag]
        # What each tag multiplies: at the first what stands before it is in `forward` already
        factor = self.steps.inside[np.roll(tag, 1), tag] * own / self.scale[at, row]
        factor[first] = self.forward[at[first], row[first], tag[first]]
        at, row = at[last], row[last]
        factor[last] *= self.behind(at, row, tag[last]) / self.total[at, row]
        with np.errstate(divide="ignore"):
            found: Floats = np.exp(np.add.reduceat(np.log(factor), first))
        return found


class Along:
    """The probabilities of stretches of one path through each sentence."""

    def __init__(self, chain: Chain, path: Ints) -> None:
        """Add up the weights along the paths.

        Args:
            chain: the sentences.
            path: the tags of each, `[batch, length]`; anything at padding.
        """
        self._chain = chain
        self._tags = tags = np.maximum(path[chain.rows.order].T, 0)
        length, batch = tags.shape
        place = np.arange(length)[:, None], np.arange(batch), tags
        with np.errstate(divide="ignore", invalid="ignore"):
            self._until = np.log(chain.forward[place])
            self._behind = np.log(chain.behind(*place) / chain.total)
            steps = chain.steps.inside[tags[:-1], tags[1:]] * chain.emission[place][1:]
            self._sums = np.zeros((length, batch))
            np.cumsum(np.log(steps / chain.scale[1:]), axis=0, out=self._sums[1:])
        self._sorted = np.argsort(chain.rows.order)

    def whole(self) -> Floats:
        """The probability of each path: `[batch]`, 1 for a sentence without characters."""
        rows = self._chain.rows
        some = np.flatnonzero(rows.sizes)
        last = rows.last[some], some
        found = np.zeros(len(rows.sizes))
        found[some] = self._until[0, some] + self._sums[last] + self._behind[last]
        return np.exp(found[self._sorted])

    def parts(self, row: Ints, start: Ints, end: Ints) -> Floats:
        """The probability of stretches of the paths: sentence, first character, the one behind."""
        row = self._sorted[row]
        sums = self._sums[end - 1, row] - self._sums[start, row]
        found: Floats = np.exp(self._until[start, row] + sums + self._behind[end - 1, row])
        return found

    def longer(self, row: Ints, start: Ints, end: Ints, tag: Ints) -> Floats:
        """The same with one more tag behind each stretch, which is not at the end."""
        chain, row = self._chain, self._sorted[row]
        last = self._tags[end - 1, row]
        step = chain.steps.inside[last, tag] * chain.emission[end, row, tag] / chain.scale[end, row]
        with np.errstate(divide="ignore"):
            step = np.log(step * chain.behind(end, row, tag) / chain.total[end, row])
        sums = self._sums[end - 1, row] - self._sums[start, row]
        found: Floats = np.exp(self._until[start, row] + sums + step)
        return found
