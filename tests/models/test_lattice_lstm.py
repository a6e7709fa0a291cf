"""Lattice LSTM as a tagger; its equations are tested with its encoder."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.models.lattice_lstm import LatticeLstm, LatticeLstmConfig
from fenjie.nn.lattice import Lattice
from tests.lattices import SIZES, moved, sentences


def test_a_word_reaches_what_lies_behind_each_of_its_ends() -> None:
    """Its cell joins that of its last character, in the other direction that of its first one."""
    torch.manual_seed(0)
    model = moved(LatticeLstm(LatticeLstmConfig(hidden=4), SIZES))
    with_word, without = sentences([8], [1], seed=3), sentences([8], [0], seed=3)
    without.ids[:] = with_word.ids
    one, other = model(with_word).tags, model(without).tags
    first, last = int(with_word.start[0, 0]), int(with_word.end[0, 0])
    assert last - first > 1, "a word with characters inside"
    changed = (one != other).any(-1)[0].tolist()
    assert changed == [place <= first or place >= last for place in range(8)]


def test_it_reads_words_of_two_characters_and_more() -> None:
    assert LatticeLstmConfig().words == "long"
    assert LatticeLstm(LatticeLstmConfig(hidden=4), SIZES).output.in_features == 8


def test_words_that_it_does_not_read() -> None:
    model = LatticeLstm(LatticeLstmConfig(hidden=4), SIZES)
    ids, word, counts = np.full((6, 2), 3), np.array([1, 2]), np.ones(2, dtype=np.float32)
    for start, end, message in (
        ([1, 2], [3, 2], "two characters and more"),
        ([1, 1], [3, 3], "two words of a sentence have the same characters"),
    ):
        spans = [np.array(start)], [np.array(end)]
        with pytest.raises(FenjieError, match=message):
            model(Lattice.of([ids], *spans, word=[word], counts=[counts]))
