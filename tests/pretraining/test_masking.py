"""Hidden words."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tokenizers", reason="needs the extra `bert`")

from fenjie.lexicon.lexicon import Lexicon
from fenjie.pretraining.masking import Masker
from fenjie.pretraining.packed_text import BEGIN, END, MASK, UNKNOWN
from fenjie.text.vocabulary import code_points

CHARACTERS = "北京大学天气很好的在"
CODES = np.concatenate((np.zeros(5, np.uint32), code_points(CHARACTERS)))
TEXT = "北京大学天气很好北京的天气在大学"


def rows(count: int) -> np.ndarray:
    ids = [5 + CHARACTERS.index(character) for character in TEXT]
    return np.array([[BEGIN, UNKNOWN, *ids, END]] * count)


def test_whole_words_are_chosen() -> None:
    lexicon = Lexicon.build(["北京", "大学", "北京大学", "天气", "学天"])
    text = rows(200)
    masked = Masker(CODES, lexicon, 0.3)(text, np.random.default_rng(1))
    chosen = np.zeros(text.size, dtype=bool)
    chosen[masked.places] = True
    chosen = chosen.reshape(text.shape)[:, 2:-1]
    for start, end in [(0, 4), (4, 6), (8, 10), (11, 13), (14, 16)]:  # the longest from the left
        part = chosen[:, start:end]
        assert (part.all(axis=1) | ~part.any(axis=1)).all() and part.any()
    assert (chosen[:, 6] != chosen[:, 7]).any()  # no word: 很好
    assert 0.29 < chosen.mean() < 0.31


def test_hidden_characters_can_be_told_again() -> None:
    text = rows(400)
    masked = Masker(CODES, None, 0.2)(text, np.random.default_rng(1))
    assert (text.ravel()[masked.places] == masked.gold).all() and (np.diff(masked.places) > 0).all()
    left = np.delete(masked.ids.ravel(), masked.places)
    assert (left == np.delete(text.ravel(), masked.places)).all()
    assert masked.gold.min() >= 5
    now = masked.ids.ravel()[masked.places]
    assert 0.77 < (now == MASK).mean() < 0.83
    assert 0.08 < ((now != MASK) & (now != masked.gold)).mean() < 0.12
    assert now[now != MASK].min() >= 5


def test_chance_follows_from_the_generator() -> None:
    one, other, third = (
        Masker(CODES, None, 0.2)(rows(9), np.random.default_rng(n)) for n in (1, 1, 2)
    )
    assert (one.ids == other.ids).all() and (one.ids != third.ids).any()
