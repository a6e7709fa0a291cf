"""The order in which a lattice LSTM reads the words of a batch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.nn.encoders.lattice_steps import Items
from fenjie.nn.encoders.recurrent_rows import Rows
from fenjie.nn.lattice import Lattice


def lattice(*spans: tuple[int, int]) -> Lattice:
    """A sentence of five characters with words."""
    ends = np.array(spans, dtype=np.int64).reshape(-1, 2)
    words = np.arange(1, len(spans) + 1)
    return Lattice.of([np.ones((5, 1), int)], [ends[:, 0]], [ends[:, 1]], word=[words])


def test_a_word_ends_at_its_last_character_in_each_direction() -> None:
    given = lattice((0, 1), (0, 3), (2, 3))
    rows = Rows.of(given.lengths)
    items = Items.of(given, rows)
    words, direction = items.item // 2, items.item % 2
    tails = rows.row[items.tail] // 2
    heads = rows.row[items.head] // 2
    for word, backwards, head, tail in zip(
        words.tolist(), direction.tolist(), heads.tolist(), tails.tolist(), strict=True
    ):
        first, last = int(given.start[0, word]), int(given.end[0, word])
        assert (head, tail) == ((last, first) if backwards else (first, last))
    assert (items.tail[1:] >= items.tail[:-1]).all()
    assert torch.equal(items.rows[items.owner], items.tail)
    assert torch.equal(items.tail[items.starts], items.rows)
    assert items.ends[-1].stop == len(items.item)


def test_words_that_it_cannot_read() -> None:
    with pytest.raises(FenjieError, match="reads words of two characters and more"):
        Items.of(one := lattice((2, 2)), Rows.of(one.lengths))
    with pytest.raises(FenjieError, match="two words of a sentence have the same characters"):
        Items.of(two := lattice((1, 3), (1, 3)), Rows.of(two.lengths))
