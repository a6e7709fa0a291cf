"""Invisible characters are left out, and everything found without them has its way back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fenjie.text.invisible import INVISIBLE, Visible, any_invisible, visible
from fenjie.text.span import Span

TEXTS = st.text(st.sampled_from(["北", "京", "a", " ", "\n", "\u200b", "\u00ad", "\ufeff"]))


@given(TEXTS)
def test_what_is_left_comes_from_where_it_says(text: str) -> None:
    shown = Visible(text)
    assert shown.text == visible(text) == "".join(text[place] for place in shown.place)
    assert not any_invisible([shown.text])
    assert any_invisible(["京", text]) == (shown.text != text)


@pytest.mark.parametrize("character", ["北", "\U0001f600", "\u200d", "\ud800", "\ufffd", "\x00"])
def test_other_characters_are_seen(character: str) -> None:
    assert not any_invisible([character]) and visible(character) == character
    assert INVISIBLE not in character


def test_spans_begin_and_end_with_what_is_seen() -> None:
    shown = Visible("\u200b北\u200b京\u200b很大")
    assert shown.spans([Span(0, 2, "LOC", 0.5)]) == (Span(1, 4, "LOC", 0.5),)


@pytest.mark.parametrize(
    ("text", "starts", "words"),
    [
        ("北\u200b京 很\u200b大", [0, 2, 3, 4], ["北\u200b京", " ", "很\u200b", "大"]),
        ("\ufeff北京", [0], ["\ufeff北京"]),
        ("\ufeff 北京", [0, 1], ["\ufeff", " ", "北京"]),
        (" \u200b北京\u200b ", [0, 1, 3], [" ", "\u200b北京\u200b", " "]),
        (" \u200b ", [0], [" ", "\u200b", " "]),
        ("\u200b\u200b", [], ["\u200b\u200b"]),
        (" \u200b", [0], [" ", "\u200b"]),
        ("", [], []),
    ],
)
def test_words_tile_the_text(text: str, starts: list[int], words: list[str]) -> None:
    found = Visible(text).starts(starts)
    assert [text[a:b] for a, b in zip(found, [*found[1:], len(text)], strict=False)] == words


def test_values_go_along() -> None:
    shown = Visible("\u200b北\u200b京\u200b")
    assert shown.nearest(np.array([True, False])).tolist() == [True, True, False, False, False]
    assert shown.nearest(np.array([False, True])).tolist() == [False, False, True, True, False]
    odds = shown.here(np.array([1, 2], dtype=np.float32))
    assert np.isnan(odds).tolist() == [True, False, True, False, True] and odds[3] == 2
