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

from fenjie.lexicon.units import Vectors, unit_length

DISTANCES = (-2, -1, 1, 2)
"""Distances of the characters of a context: before the first character, after the last one."""

SMOOTHING = 0.75
"""Power of the counts of contexts, which makes rare ones less surprising (Levy et al. 2015)."""

FREQUENT = 50_000
"""Number of units, the most frequent ones, that the directions are found by."""

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
    """The vectors of units, each of length 1: `[units, dim]`.

    Args:
        found: the occurrences of all units.
        units: number of units.
        text: the numbers of the characters of the text, `[length]`.
        characters: number of different characters.
        dim: the size of a vector; the last numbers are 0 where there are fewer directions.
    """
    times = np.bincount(found.unit, minlength=units)
    weights = []
    for distance in DISTANCES:
        place = found.end + (distance - 1) if distance > 0 else found.start + distance
        inside = (place >= 0) & (place < len(text))
        pairs = found.unit[inside].astype(np.int64) * characters + text[place[inside]]
        weights.append(_information(pairs, times, characters))
    frequent = hstack([one[:FREQUENT] for one in weights], format="csr")
    size = min(dim, min(frequent.shape) - 1)
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


def _information(pairs: Ids, times: Ids, characters: int) -> csr_array[Any]:
    """The positive pointwise mutual information of units and contexts, `[units, characters]`.

    That of few occurrences is discounted (Pantel and Lin 2002).

    Args:
        pairs: for each occurrence, the number of the unit times `characters`, plus the context.
        times: number of occurrences of each unit, `[units]`.
        characters: number of different contexts.
    """
    pairs.sort()
    edges = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
    seen = np.diff(edges, append=len(pairs))
    unit, context = np.divmod(pairs[edges], characters)
    contexts = np.bincount(context, seen, minlength=characters)
    smooth = contexts**SMOOTHING
    chance = smooth / smooth.sum()
    value = np.log(seen / (times[unit] * chance[context]))
    less = np.minimum(times[unit], contexts[context])
    value *= seen / (seen + 1) * less / (less + 1)
    kept = value > 0
    rows = np.concatenate(([0], np.cumsum(np.bincount(unit[kept], minlength=len(times)))))
    return csr_array(
        (value[kept].astype(np.float32), context[kept].astype(np.int32), rows),
        shape=(len(times), characters),
    )
