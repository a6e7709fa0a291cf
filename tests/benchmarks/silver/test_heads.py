"""The heads of offices, which are positions."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.heads import KNOWN, heads_in, places_of, with_heads
from fenjie.text.span import Sentence, Span

PLACES = frozenset({"美国", "加拿大"})


def cut(words: str) -> tuple[str, np.ndarray]:
    """A text and the log-odds of words that spaces part."""
    text = words.replace(" ", "")
    odds = np.full(len(text), -9, dtype=np.float32)
    odds[np.cumsum([0, *map(len, words.split(" ")[:-1])])] = 9
    return text, odds


def headed(words: str, name: str, position: str | None = "POSITION") -> list[tuple[str, str]]:
    """The entities of a text in which one organisation is marked, as `with_heads` has them."""
    text, odds = cut(words)
    start = text.index(name)
    sentence = Sentence(text, (Span(start, start + len(name), "ORG"),))
    new = with_heads(sentence, odds, PLACES, position)
    return [(span.of(text), span.label) for span in new.spans]


@pytest.mark.parametrize(
    ("words", "name", "parts"),
    [
        ("外交部长 讲话", "外交部", [("外交部长", "POSITION")]),
        ("对 美国 财政部长 说", "美国财政部", [("美国", "LOC"), ("财政部长", "POSITION")]),
        ("加拿大 工业 部长", "加拿大工业部", [("加拿大", "LOC"), ("工业部长", "POSITION")]),
        ("北京市委 宣传部长", "北京市委宣传部", [("北京市委", "ORG"), ("宣传部长", "POSITION")]),
        ("俄 经济部长", "俄经济部", [("俄经济部长", "POSITION")]),
    ],
)
def test_what_an_office_before_the_sign_of_a_head_is(
    words: str, name: str, parts: list[tuple[str, str]]
) -> None:
    assert headed(words, name) == parts
    assert headed(words, name, None) == [part for part in parts if part[1] != "POSITION"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("宣传部 长期 努力", "宣传部"),
        ("外交部 长 讲话", "外交部"),
        ("俄罗斯 能源 部长会议", "俄罗斯能源部"),
        ("泰中 友协会长", "泰中友协会"),
        ("外交部 的", "外交部"),
    ],
)
def test_other_offices_stay(words: str, name: str) -> None:
    assert headed(words, name) == [(name, "ORG")]


def test_a_name_that_begins_with_the_sign_is_no_head() -> None:
    text, odds = cut("外交 部长 城")
    sentence = Sentence(text, (Span(0, 3, "ORG"), Span(3, 5, "LOC")))
    assert with_heads(sentence, odds, PLACES) == sentence


def test_heads_of_offices_are_looked_for() -> None:
    assert heads_in("外交部长和公安局长说，宣传部长期努力") == {"交部长", "安局长"}


def test_places_are_those_that_are_often_marked() -> None:
    often = Sentence("美国", (Span(0, 2, "LOC"),))
    assert places_of([often] * KNOWN + [Sentence("法国", (Span(0, 2, "LOC"),))]) == {"美国"}
