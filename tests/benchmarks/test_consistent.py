"""Names that a model knows, marked in all their places."""

from __future__ import annotations

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks import consistent
from fenjie.text.span import Sentence, Span

SHOP = "海底捞"


def tagged(text: str, label: str = "ORG", sure: float = 0.95, name: str = SHOP) -> Sentence:
    start = text.index(name)
    return Sentence(text, (Span(start, start + len(name), label, sure),))


FOUND = [tagged(f"海底捞第{n}家店") for n in "一二三四五"]
LEFT_OUT = Sentence("周末吃海底捞")
DOUBTED = tagged("海底捞涨价了", sure=0.6)
LONGER = tagged("海底捞公司涨价了", name="海底捞公司")


def test_a_name_is_known_that_is_found_in_most_of_its_places() -> None:
    assert consistent.known_names([*FOUND, LEFT_OUT, LONGER]) == {SHOP: "ORG"}
    assert consistent.known_names([*FOUND, *[LONGER] * 4, *[LEFT_OUT] * 5]) == {SHOP: "ORG"}
    assert not consistent.known_names([*FOUND, *[LEFT_OUT] * 6])
    assert not consistent.known_names(FOUND[1:])


def test_a_name_that_is_of_two_types_or_doubted_is_not_known() -> None:
    assert not consistent.known_names([*FOUND, tagged("看海底捞", "LOC")])
    assert not consistent.known_names([*FOUND, *[DOUBTED] * 6])


def test_known_names_are_marked_where_they_were_left_out() -> None:
    ((old, new),) = consistent.marked([LEFT_OUT], {SHOP: "ORG", "底捞": "PER"})
    assert old == LEFT_OUT
    assert new.spans == (Span(3, 6, "ORG"),)
    assert consistent.doubts(old, new)
    ((old, new),) = consistent.marked([LONGER], {SHOP: "ORG"})
    assert old == new
    assert not consistent.doubts(old, new)


def test_a_doubted_entity_is_kept_if_it_is_a_known_name() -> None:
    ((old, new),) = consistent.marked([DOUBTED], {SHOP: "ORG"})
    assert consistent.doubts(old, new)
    assert not list(consistent.marked([DOUBTED], {}))
    assert not list(consistent.marked([DOUBTED], {SHOP: "LOC"}))
    assert not list(consistent.marked([tagged("吃海底捞", sure=0.4)], {SHOP: "ORG"}))
