"""The attention that `fenjie explain` draws: who is a query and who is a key."""

from __future__ import annotations

import dataclasses

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch

from fenjie.errors import FenjieError
from fenjie.models.mect import Mect, MectConfig
from fenjie.models.tener import Tener, TenerConfig
from fenjie.nn.attention.observed import kept_attention
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.nn.components import ComponentSizes
from tests.lattices import SIZES, collated, flat, parts


@pytest.mark.parametrize(("length", "words"), [(9, 6), (300, 40)])
def test_keys_of_flat_are_characters_then_words(length: int, words: int) -> None:
    sentence = parts(length, words, 0)
    model = flat(layers=2, self_matched=False).eval()  # no character sees a word around it
    first, last = kept_attention(model, collated(sentence))
    assert first.shape == (2, length + words, length + words)
    assert last.shape == (2, length, length + words)
    _, start, end, _ = sentence
    place = torch.arange(length)[:, None]
    around = (torch.from_numpy(start) <= place) & (place <= torch.from_numpy(end))
    for weights in (first, last):
        assert torch.allclose(weights.sum(-1), torch.ones(weights.shape[:2]))
        assert (weights[:, :length, :length] > 0).all()
        assert ((weights[:, :length, length:] == 0) == around).all()
    assert (first[:, length:] > 0).all()


def test_dropped_keys_have_no_weight_and_the_model_is_as_before() -> None:
    config = TenerConfig(dim=16, heads=2, hidden=24, layers=2)
    config = dataclasses.replace(config, selection=SelectionConfig(kind="top-k", keep=3))
    model = Tener(config, SIZES).eval()
    lattice = collated(parts(9, 0, 1))
    before = model(lattice).tags
    layers = kept_attention(model, lattice)
    assert [weights.shape for weights in layers] == [(2, 9, 9)] * 2
    assert all(((weights > 0).sum(-1) == 3).all() for weights in layers)
    assert torch.equal(model(lattice).tags, before)


def test_windows_are_refused() -> None:
    config = TenerConfig(dim=16, heads=2, hidden=24, windows=WindowConfig(rounds=2))
    with pytest.raises(FenjieError, match="attention within windows cannot be drawn"):
        kept_attention(Tener(config, SIZES).eval(), collated(parts(9, 0, 1)))


def test_a_model_whose_attention_cannot_be_drawn_gives_nothing() -> None:
    sizes = SIZES._replace(components=ComponentSizes(12, 4))
    model = Mect(MectConfig(dim=8, heads=2, hidden=10, random_places=9), sizes).eval()
    assert kept_attention(model, collated(parts(9, 3, 1))) == []
