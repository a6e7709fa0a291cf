"""Words and characters become unknown at a rate, in training alone."""

from __future__ import annotations

import torch

from fenjie.nn.lattice_vectors import LatticeEmbedding
from tests.lattices import example


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
