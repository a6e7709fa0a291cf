"""Vectors from contexts: the literal mathematics on a small text, and what they tell."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("scipy", reason="needs the extra `train`")

from fenjie.vectors import contexts
from fenjie.vectors.contexts import DISTANCES, SMOOTHING, Occurrences, context_vectors


def single(text: np.ndarray) -> Occurrences:
    """The occurrences of characters."""
    start = np.arange(len(text), dtype=np.int32)
    return Occurrences(text.astype(np.int32), start, start + 1)


def literal(text: list[int], units: int) -> np.ndarray:
    """The information of each unit and context, a cell at a time; 0 stands around the text."""
    matrix = np.zeros((units, len(DISTANCES) * units))
    times = Counter(text)
    for number, distance in enumerate(DISTANCES):
        around = dict(enumerate(text))
        seen = Counter((one, around.get(place + distance, 0)) for place, one in enumerate(text))
        others = Counter[int]()
        for (_, context), count in seen.items():
            others[context] += count
        whole = sum(count**SMOOTHING for count in others.values())
        for (unit, context), count in seen.items():
            value = math.log(count / times[unit] / (others[context] ** SMOOTHING / whole))
            less = min(times[unit], others[context])
            value *= count / (count + 1) * less / (less + 1)
            matrix[unit, number * units + context] = max(value, 0)
    return matrix


@pytest.mark.parametrize("block", [1 << 23, 7])
def test_vectors_are_those_of_the_mathematics(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "BLOCK", block)
    text = np.random.default_rng(1).choice(6, 200, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
    order = np.argsort(-np.bincount(text), kind="stable")
    text = np.argsort(order)[text].astype(np.int32)  # the most frequent first
    matrix = literal(text.tolist(), 6)
    u, s, _ = np.linalg.svd(matrix, full_matrices=False)
    expected = u[:, :4] * np.sqrt(s[:4])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    vectors = context_vectors(single(text), 6, text, 6, 4)
    # Directions have no sign of their own.
    np.testing.assert_allclose(vectors @ vectors.T, expected @ expected.T, atol=1e-4)


def test_units_that_stand_alike_have_like_vectors() -> None:
    """Two groups of characters that never meet."""
    chance = np.random.default_rng(0)
    lines = [chance.choice(6, 20) + 6 * (number % 2) for number in range(500)]
    text = np.concatenate([np.append(line, 12) for line in lines]).astype(np.int32)
    vectors = context_vectors(single(text), 13, text, 13, 4)[:12]
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    same = np.equal.outer(np.arange(12) < 6, np.arange(12) < 6)
    cosines = vectors @ vectors.T
    assert cosines[same].mean() > cosines[~same].mean() + 0.5


def test_units_that_overlap_have_contexts_of_their_own() -> None:
    """Bigrams that share a character, in text where two pairs of them stand among the same ones."""
    text = np.array([1, 2, 3, 4] * 50 + [5, 2, 3, 6] * 80, dtype=np.int32)
    pairs = np.arange(len(text) - 1, dtype=np.int32)
    names, unit = np.unique(np.stack([text[:-1], text[1:]]), axis=1, return_inverse=True)
    found = Occurrences(unit.ravel().astype(np.int32), pairs, pairs + 2)
    vectors = context_vectors(found, names.shape[1], text, 7, 4)
    cosine = vectors @ vectors.T
    number = {(int(one), int(two)): place for place, (one, two) in enumerate(names.T)}
    assert cosine[number[1, 2], number[2, 3]] < 0.9
    assert cosine[number[2, 3], number[3, 4]] < 0.9
    # These two stand before the same character, and at no other place.
    assert cosine[number[1, 2], number[5, 2]] > 0.9


def test_a_unit_that_is_the_only_one_has_no_direction() -> None:
    text = np.array([1, 1, 1, 1], dtype=np.int32)
    vectors = context_vectors(Occurrences(text - 1, text - 1, text), 1, text, 2, 3)
    assert vectors.shape == (1, 3) and not vectors.any()
