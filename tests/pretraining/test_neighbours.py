"""Vectors of characters from their neighbours."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tokenizers", reason="needs the extra `bert`")

from fenjie.pretraining.neighbours import neighbour_vectors


def text() -> np.ndarray:
    """Ids 5 and 6 stand between 7 and 8, and 9 and 10 between 11 and 12."""
    random = np.random.default_rng(1)
    parts = [([7, random.integers(5, 7), 8], [11, random.integers(9, 11), 12]) for _ in range(2000)]
    return np.array([part[random.integers(2)] for part in parts], dtype=np.uint16).ravel()


def test_those_alike_are_near() -> None:
    vectors = neighbour_vectors(text(), 13, 6, 1)
    assert vectors.shape == (13, 6) and vectors.dtype == np.float32
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -1)
    assert cosines[5, 5:].argmax() == 1 and cosines[9, 5:].argmax() == 5
    assert 0.5 < np.square(vectors[5:]).mean() < 2.0


def test_more_dimensions_than_characters() -> None:
    vectors = neighbour_vectors(np.array([5, 6, 5, 6, 3], dtype=np.uint16), 7, 16, 1)
    assert vectors.shape == (7, 16) and np.isfinite(vectors).all()


def test_the_seed_decides() -> None:
    assert (neighbour_vectors(text(), 13, 6, 1) == neighbour_vectors(text(), 13, 6, 1)).all()
