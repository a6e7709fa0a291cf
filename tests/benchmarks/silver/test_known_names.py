"""Names that models know, marked in all their places."""

from __future__ import annotations

from benchmarks.silver.known_names import known_names, with_marks
from fenjie.lexicon.lexicon import Lexicon
from fenjie.text.span import Sentence, Span

SHOP = "海底捞"


def tagged(text: str, label: str = "ORG", sure: float = 0.95, name: str = SHOP) -> Sentence:
    start = text.index(name)
    return Sentence(text, (Span(start, start + len(name), label, sure),))


def marked(sentence: Sentence, names: dict[str, str]) -> Sentence:
    return with_marks(sentence, Lexicon.build(names), names)


FOUND = [tagged(f"海底捞第{n}家店") for n in "一二三四五"]
LEFT_OUT = Sentence("周末吃海底捞")
DOUBTED = tagged("海底捞涨价了", sure=0.6)
LONGER = tagged("海底捞公司涨价了", name="海底捞公司")


def test_a_name_is_known_that_is_found_in_most_of_its_places() -> None:
    assert known_names([*FOUND, LEFT_OUT, LONGER]) == {SHOP: "ORG"}
    assert known_names([*FOUND, *[LONGER] * 4, *[LEFT_OUT] * 5]) == {SHOP: "ORG"}
    assert not known_names([*FOUND, *[LEFT_OUT] * 6])
    assert not known_names(FOUND[1:])


def test_a_name_that_is_of_two_types_or_doubted_is_not_known() -> None:
    assert not known_names([*FOUND, tagged("看海底捞", "LOC")])
    assert not known_names([*FOUND, *[DOUBTED] * 6])


def test_a_name_is_marked_where_nothing_is() -> None:
    assert marked(LEFT_OUT, {SHOP: "ORG", "底捞": "PER"}).spans == (Span(3, 6, "ORG"),)
    assert marked(LONGER, {SHOP: "ORG"}) == LONGER
    city = tagged("上海市的海底捞很好吃", "LOC", name="上海市")
    assert marked(city, {SHOP: "ORG"}).spans == (*city.spans, Span(4, 7, "ORG"))
