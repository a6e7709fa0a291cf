"""Word fusion over pairs gives what its equations give, in float64, gradients included."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fenjie.nn.fusion.word_fusion import Pairs, WordFusion
from fenjie.nn.lattice import Lattice
from tests.lattices import assert_same, gradients, moved, sentences
from tests.reference.word_fusion import fuse


def check(given: Lattice) -> torch.Tensor:
    """Values and gradients of both are the same; returns the values."""
    fusion = moved(WordFusion(12, 3))
    characters = torch.randn(int(given.lengths.sum()), 12).double().requires_grad_()
    words = torch.randn(int(given.words.sum()), 12).double().requires_grad_()
    found: torch.Tensor = fusion(characters, words, Pairs.of(given))
    parts, lengths, counts = [], given.lengths.tolist(), given.words.tolist()
    by_sentence = zip(characters.split(lengths), words.split(counts), strict=True)
    for row, (own, known) in enumerate(by_sentence):
        edges = [edge[row, : counts[row]].tolist() for edge in (given.start, given.end)]
        parts.append(fuse(fusion, own, known, *edges))
    expected = torch.cat(parts)
    assert torch.allclose(found, expected, rtol=0, atol=1e-9)
    if found.requires_grad:
        one, other = (gradients(fusion, value, characters, words) for value in (found, expected))
        assert_same(one, other)
    return found.detach()


@pytest.mark.parametrize("counts", [[6, 0, 0, 12], [0, 1, 0, 0], [30, 4, 0, 60]])
def test_equations(counts: list[int]) -> None:
    check(sentences([9, 3, 1, 20], counts))


def test_the_longest_words() -> None:
    ids = [np.ones((31, 1), dtype=np.int64)]
    start, end = np.array([0, 0, 12, 12]), np.array([30, 1, 30, 13])
    check(Lattice.of(ids, [start], [end], word=[np.arange(4)]))


def test_a_character_without_a_word_has_zeros() -> None:
    start, end = np.array([1]), np.array([2])
    ids = [np.ones((5, 1), dtype=np.int64)]
    found = check(Lattice.of(ids, [start], [end], word=[np.array([1])]))
    assert (found[[0, 3, 4]] == 0).all()
    assert (found[[1, 2]] != 0).all()


def test_no_word_at_all() -> None:
    assert (check(sentences([3, 2], [0, 0])) == 0).all()
