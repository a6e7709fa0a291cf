"""Vectors of units from the characters around their occurrences, without a pass of training.

The rows of a matrix are units (characters, bigrams, words), its columns a character at a distance
from the unit: two, or one, before its first character; one, or two, after its last. The numbers are
positive pointwise mutual information, which word2vec factorises implicitly (Levy and Goldberg 2014,
"Neural Word Embedding as Implicit Matrix Factorization"). A singular value decomposition of the
rows of the frequent units gives directions of the context space; every unit's row, projected on
them, is its vector. As each occurrence of each unit counts by itself, words that overlap have
contexts of their own, whatever the segmentation.

The same text gives the same vectors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from scipy.sparse.linalg import svds

from fenjie.lexicon.number_types import Vectors
from fenjie.lexicon.units import unit_length

DISTANCES = (-2, -1, 1, 2)
"""Distances of the characters of a context: before the first character, after the last one."""

SMOOTHING = 0.75
"""Power of the counts of contexts, which makes rare ones less surprising (Levy et al. 2015)."""

FREQUENT = 50_000
"""Number of units, the most frequent ones, that the directions are found by."""

BLOCK = 1 << 23
"""Number of pairs of a unit and a context that are worked on at once."""

Ids = NDArray[np.int64]


class Occurrences(NamedTuple):
    """Where units occur in a text.

    Attributes:
        unit: the number of the unit, the most frequent first, `[occurrences]`.
        start: offset of its first character, `[occurrences]`.
        end: offset after its last one, `[occurrences]`.
    """

    unit: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]


def context_vectors(
    found: Occurrences, units: int, text: NDArray[np.int32], characters: int, dim: int
) -> Vectors:
    """The vectors of units, each of length 1 where it is not 0: `[units, dim]`.

    Args:
        found: the occurrences of all units.
        units: number of units.
        text: the numbers of the characters of the text, `[length]`; 0 is any other character, and
            stands before and after the text.
        characters: one more than the greatest number of a character.
        dim: the size of a vector; the last numbers are 0 where there are fewer directions, as all
            of a unit that is the only one.
    """
    times = np.bincount(found.unit, minlength=units)
    reach = max(DISTANCES)
    padded = np.pad(text, reach)
    weights = []
    for distance in DISTANCES:
        place = found.end + (distance - 1) if distance > 0 else found.start + distance
        context = padded[place + reach]
        pairs = found.unit.astype(np.int64)
        pairs *= characters
        pairs += context
        weights.append(_information(pairs, times, np.bincount(context, minlength=characters)))
    frequent = hstack([one[:FREQUENT] for one in weights], format="csr")
    size = min(dim, min(frequent.shape) - 1)
    if not size:  # one unit alone differs from none
        return np.zeros((units, dim), dtype=np.float32)
    _, strength, directions = svds(frequent, size, v0=np.ones(min(frequent.shape)))
    # The greatest first, the sign of each direction that of its largest number.
    order = np.argsort(-strength, kind="stable")
    directions, strength = directions[order].T, strength[order]  # [contexts, size]
    largest = directions[np.abs(directions).argmax(axis=0), np.arange(size)]
    directions *= np.sign(largest) / np.sqrt(np.maximum(strength, 1e-6))
    vectors = np.zeros((units, dim), dtype=np.float32)
    for number, one in enumerate(weights):
        part = slice(number * characters, (number + 1) * characters)
        vectors[:, :size] += one @ directions[part].astype(np.float32)
    return unit_length(vectors)


def _information(pairs: Ids, times: Ids, contexts: Ids) -> csr_array[Any]:
    """The positive pointwise mutual information of units and contexts, `[units, characters]`.

    That of few occurrences is discounted (Pantel and Lin 2002).

    Args:
        pairs: for each occurrence, the number of the unit times `characters`, plus the context.
        times: number of occurrences of each unit, `[units]`.
        contexts: number of occurrences of each context, `[characters]`.
    """
    characters = len(contexts)
    smooth = contexts**SMOOTHING
    chance = smooth / smooth.sum()
    pairs.sort()
    edges = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
    edges = np.append(edges, len(pairs))
    rows, columns, values = np.zeros(len(times), np.int64), [], []
    for first in range(0, len(edges) - 1, BLOCK):
        part = edges[first : first + BLOCK + 1]
        seen = np.diff(part)
        unit, context = np.divmod(pairs[part[:-1]], characters)
        value = np.log(seen / (times[unit] * chance[context]))
        less = np.minimum(times[unit], contexts[context])
        value *= seen / (seen + 1) * less / (less + 1)
        kept = value > 0
        rows += np.bincount(unit[kept], minlength=len(times))
        columns.append(context[kept].astype(np.int32))
        values.append(value[kept].astype(np.float32))
    bounds = np.concatenate(([0], np.cumsum(rows)))
    return csr_array(
        (np.concatenate(values), np.concatenate(columns), bounds), shape=(len(times), characters)
    )
