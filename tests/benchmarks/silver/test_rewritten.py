"""Tagged sentences with a few characters written otherwise."""

from __future__ import annotations

import random
import re

from benchmarks.silver.rewritten import Kind, fixed, kinds, places, rewritten, with_parts
from fenjie.text.span import Sentence
from tests.benchmarks.silver.marked import sentence


def entities(one: Sentence) -> list[tuple[str, str]]:
    """The names of a sentence with their types."""
    return [(span.of(one.text), span.label) for span in one.spans]


def copies(*marks: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """What is made of some marked sentences, each once: the text and its entities."""
    made = rewritten([sentence(each) for each in marks], random.Random(1))
    return sorted({(one.text, tuple(entities(one))) for one in made})  # type: ignore[arg-type]


def test_offsets_follow() -> None:
    kind = Kind(1, re.compile("举办"), fixed("办"), after="LOC")
    old = sentence("[李明/PER]在[北京/LOC]举办展会，[上海/LOC]举办比赛，[王红/PER]去了")
    new = with_parts(old, kind, random.Random(1))
    assert new == sentence("[李明/PER]在[北京/LOC]办展会，[上海/LOC]办比赛，[王红/PER]去了")
    assert not places(sentence("[李明/PER]举办展会"), kind)


def test_a_name_that_goes_on_beyond_the_characters_stays() -> None:
    kind = Kind(1, re.compile("狗"), fixed("泰迪"))
    assert not places(sentence("[狗不理/ORG]包子"), kind)
    assert with_parts(sentence("[狗/PER]来了"), kind, random.Random(1)) == sentence("泰迪来了")


def test_a_verb_stands_after_a_country() -> None:
    made = copies("[中国/LOC]将继续开放")
    assert made == [("中国会继续开放", (("中国", "LOC"),))]


def test_a_name_has_a_hyphen_and_two_names_have_one_between_them() -> None:
    made = copies("[让·雷诺/PER]到了", "从[北京/LOC]到[上海/LOC]")
    assert {spans for _, spans in made} >= {(("北京", "LOC"), ("上海", "LOC"))}
    assert any(re.fullmatch("让[-－–—]雷诺到了", text) for text, _ in made)


def test_storms_and_things_are_no_names() -> None:
    made = copies("台风“[烟花/LOC]”来了", "我家小狗很乖", "他是[汉族/PER]")
    assert len(made) > 6 and all(spans == () for _, spans in made)
    assert not any("小狗" in text or "汉族" in text for text, _ in made)


def test_each_province_in_a_row_is_a_place() -> None:
    made = copies("[川/LOC][渝/LOC]两省合作")
    assert made
    for text, spans in made:
        assert all(label == "LOC" and len(name) == 1 for name, label in spans)
        assert re.fullmatch("".join(name for name, _ in spans) + "[两三四五]?省合作", text)


def test_a_surname_stands_before_a_short_title_or_beside_its_word() -> None:
    made = copies("[李/PER]总来了", "[张某/PER]来了", "我叫李明，你呢")
    assert all(
        len(spans) == 1 and spans[0][1] == "PER" and len(spans[0][0]) == 1 for _, spans in made
    )
    texts = " ".join(text for text, _ in made)
    assert "局来了" in texts and "姓男子来了" in texts and "我姓" in texts


def test_other_kinds_leave_the_names_that_are_there() -> None:
    made = copies("[李明/PER]和很多用户开会议", "[日本/LOC]的[大阪/LOC]很大")
    assert ("李明和很多老用户开会议", (("李明", "PER"),)) in made
    assert ("李明和很多用户开meeting", (("李明", "PER"),)) in made
    assert any(spans[0] == ("日本", "LOC") and spans[1][0] != "大阪" for _, spans in made if spans)


def test_no_kind_needs_names_that_the_text_lacks() -> None:
    assert list(rewritten([], random.Random(1))) == []
    assert len(list(kinds([]))) > 20
