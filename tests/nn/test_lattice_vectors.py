"""Words and characters become unknown at a rate, in training alone."""

from __future__ import annotations

import numpy as np
import torch

from fenjie.nn.lattice import Lattice
from fenjie.nn.lattice_vectors import LatticeEmbedding


def numbers(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def example() -> Lattice:
    """重庆人和药店 with its five words, and 你 with none."""
    ids = [np.arange(12).reshape(6, 2) + 2, np.array([[3, 4]])]
    start, end = numbers(0, 4, 2, 0, 2), numbers(1, 5, 3, 2, 5)
    return Lattice.of(
        ids, [start, numbers()], [end, numbers()], word=[numbers(2, 3, 4, 5, 6), numbers()]
    )


def test_word_dropout_is_for_training_alone() -> None:
    torch.manual_seed(0)
    embedding = LatticeEmbedding((20, 0, 3), (20, 0, 2), (20, 0, 4), 8, 0.0, 0.5)
    given = example()
    plain = embedding.eval()(given)
    assert torch.equal(embedding(given), plain)
    noisy = embedding.train()(given)
    changed = (noisy != plain).any(dim=1)
    assert 0 < changed.sum() < len(changed)
    word = given.tokens.order[changed] >= 7
    unknown = embedding.project_words(embedding.words.weight[1])
    assert torch.allclose(noisy[changed][word], unknown.expand(int(word.sum()), -1))
