"""Batches by token budget: sentences of like length together, in another order each epoch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]

JITTER = 0.1
"""Lengths are compared as if each were longer by a random share up to this, so that a sentence
meets other sentences in every epoch; it costs a few per cent of padding."""


POOL = 20
"""Batches of one pool: sentences drawn by chance, sorted by length, then cut."""


class Batches:
    """The batches of every epoch, as a function of nothing but the seed and the epoch.

    Example:
        >>> batches = Batches([3, 9, 4, 8], tokens=12, seed=1)
        >>> [batch.tolist() for batch in batches.epoch(0)]
        [[1], [3], [0, 2]]
    """

    passes = 1
    """Number of times that an epoch goes through the sentences, each in another order."""

    def __init__(
        self,
        lengths: Sequence[int],
        tokens: int,
        seed: int,
        sentences: int = 0,
        weights: Sequence[float] | NDArray[np.float64] = (),
    ) -> None:
        """Keep the lengths.

        Args:
            lengths: the length of each sentence, in characters.
            tokens: sentences × longest length is at most this; a sentence longer than it stands
                alone.
            seed: where the order comes from.
            sentences: instead of a number of tokens so many sentences a batch; 0 = tokens.
            weights: how often a pass takes each sentence on average; 1 where none are given.
        """
        self.weights = np.asarray(weights, dtype=np.float64)
        self.sentences = sentences
        self.lengths = np.asarray(lengths, dtype=np.int64)
        self.tokens = tokens
        self.seed = seed

    def epoch(self, number: int) -> list[Indices]:
        """The batches of an epoch, each an array of indices of sentences.

        Args:
            number: the epoch, counted from 0.
        """
        first = number * self.passes
        return [batch for one in range(self.passes) for batch in self._pass(first + one)]

    def _pass(self, number: int) -> list[Indices]:
        """The batches of one time through the sentences."""
        random = np.random.default_rng([self.seed, number])
        taken = self._taken(random)
        if self.sentences:
            return self._pools(taken, random)
        keys = self.lengths[taken] * (1 + JITTER * random.random(len(taken)))
        batches = cut(taken[np.argsort(keys, kind="stable")], self.lengths, self.tokens)
        return [batches[index] for index in random.permutation(len(batches))]

    def _taken(self, random: np.random.Generator) -> Indices:
        """The sentences of one pass, at least one: each as often as its weight says.

        A fraction of a weight is a chance.
        """
        every = np.arange(len(self.lengths))
        if (self.weights == 1).all():
            return every
        more = random.random(len(every)) < self.weights % 1
        taken = np.repeat(every, np.floor(self.weights).astype(np.int64) + more)
        return taken if len(taken) else every[:1]

    def _pools(self, taken: Indices, random: np.random.Generator) -> list[Indices]:
        """Batches of a number of sentences: chance makes pools, and length the batches in each."""
        order, size = taken[random.permutation(len(taken))], POOL * self.sentences
        batches = []
        for start in range(0, len(order), size):
            pool = order[start : start + size]
            pool = pool[np.argsort(self.lengths[pool], kind="stable")]
            batches += [pool[i : i + self.sentences] for i in range(0, len(pool), self.sentences)]
        return [batches[index] for index in random.permutation(len(batches))]


def cut(order: Indices, lengths: Indices, tokens: int) -> list[Indices]:
    """Cut an order of sentences into batches of at most `tokens` characters with padding."""
    batches, start, longest = [], 0, 0
    for place, length in enumerate(lengths[order].tolist()):
        longest = max(longest, length)
        if longest * (place + 1 - start) > tokens and place > start:
            batches.append(order[start:place])
            start, longest = place, length
    if start < len(order):
        batches.append(order[start:])
    return batches


def steps(batches: Sequence[Indices], accumulate: int, processes: int) -> list[list[list[Indices]]]:
    """Share the batches of an epoch out over steps and processes.

    Args:
        batches: of an epoch.
        accumulate: batches of each process in one step.
        processes: the number of processes.

    Returns:
        For each step, for each process, its batches. In a step every process has the same number
        of them, at least one; for that the last step may take some batches from the front of the
        epoch again (with one process, none).
    """
    group = accumulate * processes
    result = []
    for start in range(0, len(batches), group):
        part = list(batches[start : start + group])
        missing = -len(part) % processes
        part += [batches[index % len(batches)] for index in range(missing)]
        result.append([part[rank::processes] for rank in range(processes)])
    return result
