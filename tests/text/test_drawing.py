"""Sentences in colour: escaped, whole, and bounded."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fenjie
from fenjie.text import drawing
from fenjie.text.span import Sentence, Sentences, Span

ENTITIES = Sentence("王小明在北京大学", (Span(0, 3, "PER", 0.994), Span(4, 8, "ORG")))
TAG = re.compile(r"<[^<>]*>")


def text_of(drawn: str) -> str:
    """The text of a page without its labels."""
    return unescape(TAG.sub("", re.sub(r"<small.*?</small>", "", drawn)))


def test_words_and_entities_are_marked() -> None:
    drawn = ENTITIES._repr_html_()
    assert drawn.count("<mark") == 2
    assert (
        'title="99.4%"' in drawn and ">&nbsp;PER</small>" in drawn and ">&nbsp;ORG</small>" in drawn
    )
    words = Sentence.from_words(["商品", "和", "服务"])._repr_html_()
    assert words.count("<span") == 3
    assert text_of(words) == "商品和服务"


@given(st.lists(st.text(min_size=1, max_size=5), max_size=6), st.text(min_size=1, max_size=5))
def test_all_of_the_text_is_there_and_none_of_it_is_html(words: list[str], label: str) -> None:
    sentence = Sentence.from_words(words)
    assert text_of(sentence._repr_html_()) == sentence.text
    labelled = Sentence(sentence.text, tuple(Span(s.start, s.end, label) for s in sentence.spans))
    drawn = labelled._repr_html_()
    assert set(re.findall(r"<(\w+)", drawn)) <= {"div", "mark", "small", "span"}


def test_nothing_is_executed() -> None:
    bad = '<script>alert(1)</script>"&'
    drawn = Sentence(bad, (Span(0, len(bad), bad),))._repr_html_()
    assert "<script" not in drawn and '"&' not in drawn


def test_lists_are_drawn() -> None:
    drawn = Sentences([ENTITIES, Sentence("")])._repr_html_()
    assert drawn.count("<div") == 2
    assert Sentences([ENTITIES]) == [ENTITIES]


def test_of_spans_that_overlap_the_first_is_drawn() -> None:
    drawn = Sentence("北京大学", (Span(0, 4, "ORG"), Span(0, 2, "LOC")))._repr_html_()
    assert text_of(drawn) == "北京大学" and drawn.count("<mark") == 1


def test_a_long_text_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "CHARACTERS", 5)
    drawn = Sentences([Sentence.from_words(["商品", "和", "服务员"]), ENTITIES])._repr_html_()
    assert text_of(drawn) == "商品和… 11 characters more"
    assert "more" not in Sentence.from_words(["商品"])._repr_html_()


def test_words_on_a_terminal() -> None:
    words = Sentence.from_words(["商品", "和"])
    assert list(drawing.lines([words.pieces(), ENTITIES.pieces()], color=False)) == [
        "商品 和",
        "[王小明/PER]在[北京大学/ORG]",
    ]
    (colored,) = drawing.lines([words.pieces()], color=True)
    assert colored == "\x1b[36m商品\x1b[0m\x1b[33m和\x1b[0m"


def test_a_tagger_gives_a_list_that_is_drawn() -> None:
    assert fenjie.load("segment")(["商品"])._repr_html_().startswith("<div")  # type: ignore[attr-defined]
