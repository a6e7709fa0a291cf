"""Taggers that mix words into each character before they encode the characters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from fenjie.models.fusing import FusingConfig, FusingTagger
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.lattice import Lattice
from tests.lattices import SIZES, sentences


class Plain(FusingTagger):
    """Without an encoder."""

    def encode(self, lattice: Lattice) -> Encoded:
        return Encoded(self.fused(lattice))


def build(**settings: Any) -> Plain:
    torch.manual_seed(0)
    return Plain(FusingConfig(**settings), SIZES, dim=8, heads=2, encoded=8).double().eval()


def test_a_word_changes_the_characters_that_it_holds_and_no_others() -> None:
    model, given = build(), sentences([9], [2])
    assert given.word is not None
    word = given.word.clone()
    word[0, 0] = word[0, 0] % 39 + 1
    changed = (model.fused(replace(given, word=word)) != model.fused(given)).any(-1)[0]
    first, last = int(given.start[0, 0]), int(given.end[0, 0])
    assert changed.tolist() == [first <= place <= last for place in range(9)]


def test_without_a_lexicon_no_word_is_read() -> None:
    assert (FusingConfig().words, FusingConfig(lexicon=False).words) == ("long", "none")
    model = build(lexicon=False)
    given = sentences([4, 9], [2, 3])
    without = sentences([4, 9], [0, 0])
    ids = {"ids": given.ids, "lengths": given.lengths}
    assert torch.equal(model.fused(given), model.fused(replace(without, **ids)))
    assert not model.fused(given)[~given.mask].any()
