"""Spans and sentences."""

from __future__ import annotations

from typing import Any

import pytest

from fenjie.errors import FenjieError
from fenjie.text.span import WORD, Sentence, Span, holds_whitespace


def test_words() -> None:
    sentence = Sentence.from_words(["分", "界", "很好"])
    assert sentence.text == "分界很好"
    assert sentence.words == ["分", "界", "很好"]
    assert sentence.spans == (Span(0, 1), Span(1, 2), Span(2, 4))
    assert sentence.tiled
    assert {span.label for span in sentence.spans} == {WORD}


def test_entities_do_not_tile() -> None:
    sentence = Sentence("我在北京", (Span(2, 4, "LOC"),))
    assert sentence.words == ["北京"]
    assert not sentence.tiled
    assert sentence.spans[0].of(sentence.text) == "北京"


def test_spans_of_some_labels() -> None:
    sentence = Sentence("我在北京", (Span(0, 1, "PER"), Span(2, 4, "LOC")))
    assert sentence.only({"LOC"}) == Sentence("我在北京", (Span(2, 4, "LOC"),))
    assert sentence.only(()) == Sentence("我在北京")


@pytest.mark.parametrize("labels", ["LOCATION", None])
def test_labels_that_are_not_several(labels: Any) -> None:
    sentence = Sentence("我在北京", (Span(2, 4, "LOC"),))
    with pytest.raises(FenjieError, match=r"^found .*; expected labels, such as a list of them$"):
        sentence.only(labels)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("abc", [(0, 2, "X")]),
        ("abc", "ab"),
        (5, ()),
        ("abc", [Span("a", 2)]),  # type: ignore[arg-type]
        ("abc", None),
        ("abc", Span(0, 1)),
    ],
)
def test_what_is_no_text_and_what_is_no_span(text: Any, spans: Any) -> None:
    with pytest.raises(FenjieError, match=r"found .* and .*; expected a text and spans of it"):
        Sentence(text, spans)


def test_spans_that_are_no_tuple() -> None:
    sentence = Sentence("我在北京", (Span(2, 4, "LOC"),))
    for spans in [*sentence.spans], iter(sentence.spans):
        same = Sentence("我在北京", spans)  # type: ignore[arg-type]
        assert same == sentence and hash(same) == hash(sentence)
        assert [entity.text for entity in same.entities] == ["北京"]


def test_empty() -> None:
    assert Sentence("").tiled
    assert Sentence.from_words([]) == Sentence("")
    assert not Sentence("a").tiled


def test_confidence_does_not_count() -> None:
    assert Span(0, 1, "A", 0.5) == Span(0, 1, "A")


@pytest.mark.parametrize("spans", [[(0, 3)], [(1, 1)], [(-1, 1)], [(1, 2), (0, 1)]])
def test_bad_spans(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(FenjieError):
        Sentence("ab", tuple(Span(*span) for span in spans))


def test_empty_word() -> None:
    with pytest.raises(FenjieError, match="empty"):
        Sentence.from_words(["a", "", "b"])
    with pytest.raises(FenjieError, match="found None; expected a word"):
        Sentence.from_words(["a", None])  # type: ignore[list-item]


@pytest.mark.parametrize("words", ["商品和服务", None])
def test_words_that_are_not_several(words: Any) -> None:
    with pytest.raises(FenjieError, match=r"found .*; expected words, such as a list of them"):
        Sentence.from_words(words)


def test_whitespace_in_labels() -> None:
    assert not any(map(holds_whitespace, ["PER", "职位-2", ""]))
    assert all(map(holds_whitespace, ["job title", " PER", "a\tb", "职\u3000位", "a\u2028"]))
