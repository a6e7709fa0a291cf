"""Lattice LSTM as a tagger; its equations are tested with its encoder."""

from __future__ import annotations

import torch

from fenjie.models.lattice_lstm import LatticeLstm, LatticeLstmConfig
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
