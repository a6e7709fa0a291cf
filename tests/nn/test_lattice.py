"""Lattices: padding, and the order in which their tokens stand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.nn import lattice
from fenjie.nn.lattice import Lattice
from tests.lattices import example, numbers


def test_padding() -> None:
    given = example()
    assert given.ids.shape == (2, 6, 2)
    assert given.lengths.tolist() == [6, 1]
    assert given.words.tolist() == [5, 0]
    assert given.mask.sum(1).tolist() == [6, 1]
    assert given.word_mask.tolist() == [[True] * 5, [False] * 5]
    assert (given.ids[1, 1:] == 0).all()


def test_counts_are_padded_too() -> None:
    counts = [np.ones(2, np.float32), np.ones(1, np.float32)]
    spans = [numbers(0, 1), numbers(0)]
    given = Lattice.of([np.ones((4, 1), np.int64)] * 2, spans, spans, word=spans, counts=counts)
    assert given.counts is not None
    assert given.counts.tolist() == [[1, 1], [1, 0]]


def test_either_vectors_or_rows() -> None:
    given = example()
    parts = (given.ids, given.lengths, given.start, given.end, given.words)
    with pytest.raises(FenjieError, match="either the vectors"):
        Lattice(*parts)
    with pytest.raises(FenjieError, match="either the vectors"):
        Lattice(*parts, vectors=torch.zeros(2, 5, 3), word=given.word)


def test_of_a_sentence_characters_stand_first_then_words_by_length() -> None:
    tokens = example().tokens
    assert tokens.sentences == (0, 11, 12)
    assert tokens.heads.tolist() == [0, 1, 2, 3, 4, 5, 0, 4, 2, 0, 2, 0]
    assert tokens.lengths.tolist() == [1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 1]
    assert tokens.characters.tolist() == [0, 1, 2, 3, 4, 5, 11]
    # 7 characters in all, so the words are counted from 7 on.
    assert tokens.order.tolist() == [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 6]


def test_long_sentences_stand_tile_by_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice, "TILE", 4)
    tokens = example().tokens
    assert tokens.heads.tolist() == [0, 1, 2, 3, 0, 2, 0, 2, 4, 5, 4, 0]
    assert tokens.lengths.tolist() == [1, 1, 1, 1, 2, 2, 3, 4, 1, 1, 2, 1]
    assert tokens.characters.tolist() == [0, 1, 2, 3, 8, 9, 11]


def test_without_words() -> None:
    bare = example().without_words()
    assert bare.tokens.heads.tolist() == [0, 1, 2, 3, 4, 5, 0]
    assert bare.tokens.order.tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_moving() -> None:
    moved = example().to("meta")
    assert {str(part.device) for part in (moved.ids, moved.word, moved.start)} == {"meta"}
    assert moved.vectors is None
