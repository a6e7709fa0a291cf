"""First vectors of characters, from their neighbours in the text.

Positive pointwise mutual information with the characters that stand near, and its largest
eigenvectors: Levy, Goldberg and Dagan (2015), Improving distributional similarity with lessons
learned from word embeddings. An encoder that starts from them need not learn from nothing which
characters are alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon.word_pieces import SPECIAL

NEAR = 1.0, 0.7, 0.5, 0.35, 0.25
"""Weight of a neighbour by its distance, from 1 on."""

SMOOTHING = 0.75
"""Exponent of the counts of the neighbours (Levy et al. 2015, 3.1)."""

SAMPLE, PART = 40_000_000, 1_000_000
"""Most characters that are counted, in parts spread over the text."""

POWERS = 4
"""Rounds of the search for eigenvectors."""

Vectors = NDArray[np.float32]


def neighbour_vectors(ids: NDArray[np.uint16], size: int, dim: int, seed: int) -> Vectors:
    """Vectors of ids whose products are near the mutual information: `[size, dim]`.

    Those of the special pieces are drawn at random; the mean square of all is 1.

    Args:
        ids: a text, `[length]`.
        size: the number of ids.
        dim: the size of a vector.
        seed: of what is random.
    """
    random = np.random.default_rng(seed)
    information = _information(_counts(_sample(ids), size))
    basis = random.standard_normal((size, min(dim + dim // 8, size))).astype(np.float32)
    for _ in range(POWERS):
        basis, _ = np.linalg.qr(information @ basis)
    values, inner = np.linalg.eigh(basis.T @ information @ basis)
    largest = np.argsort(-np.abs(values), kind="stable")[:dim]
    made = np.zeros((size, dim), dtype=np.float32)
    made[:, : len(largest)] = basis @ inner[:, largest] * np.sqrt(np.abs(values[largest]))
    made /= max(float(np.sqrt(np.square(made).mean())), 1e-6)
    made[: len(SPECIAL)] = random.standard_normal((len(SPECIAL), dim))
    return made


def _sample(ids: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Parts of a text, evenly spread: `[length]`."""
    stride = max(PART, PART * len(ids) // SAMPLE)
    parts = [ids[start : start + PART] for start in range(0, len(ids), stride)]
    return np.concatenate(parts).astype(np.int64)


def _counts(ids: NDArray[np.int64], size: int) -> Vectors:
    """The weighted number of times that ids stand near each other: `[size, size]`."""
    flat = np.zeros(size * size, dtype=np.float32)
    for distance, weight in enumerate(NEAR, 1):
        pairs, often = np.unique(ids[:-distance] * size + ids[distance:], return_counts=True)
        flat[pairs] += weight * often
    counts = flat.reshape(size, size)
    counts = counts + counts.T
    counts[: len(SPECIAL)] = counts[:, : len(SPECIAL)] = 0
    return counts


def _information(counts: Vectors) -> Vectors:
    """The positive mutual information of ids, made symmetric: `[size, size]`."""
    often = np.maximum(counts.sum(axis=1), 1e-6)
    smooth = often**SMOOTHING
    with np.errstate(divide="ignore"):
        found = np.log(counts * (smooth.sum() / smooth))
    found -= np.log(often)[:, None]
    np.maximum(found, 0, out=found)
    symmetric: Vectors = (found + found.T) / 2
    return symmetric
