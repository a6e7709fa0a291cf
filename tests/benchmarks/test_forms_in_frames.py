"""Names in forms of address and others, in sentences that we wrote."""

from __future__ import annotations

from benchmarks.forms_in_frames import (
    BODIES,
    CLUBS,
    DOUBLE,
    DRUGS,
    ENGLISH,
    FIRMS,
    HYPHENED,
    JAPANESE,
    NOTHING,
    TOWNS,
    TOWNS_OF_JAPAN,
    WITH_ROLES,
    Framed,
    absent,
    framed,
    sentences,
)
from benchmarks.silver.exchanged import (
    LATIN,
    LATIN_BODIES,
    LATIN_PLACES,
    PLACES_ABROAD,
    UNIVERSITIES,
)
from benchmarks.silver.known_names import listed, listed_names, things
from benchmarks.silver.rewritten import ENGLISH as ENGLISH_WORDS
from benchmarks.silver.rewritten import TOWNS_OF_JAPAN as JAPAN
from fenjie.text.span import Span


def test_the_title_is_no_part_of_the_name() -> None:
    (one,) = framed("X and a title", "王", ("这是{}。",), "女士")
    assert (one.text, one.name.of(one.text)) == ("这是王女士。", "王")


def test_in_what_is_no_name_any_other_type_is_right() -> None:
    (one,) = absent("张 before a thing", "张沙发", ("他买了{}。",), "PER")
    assert one.is_right([]) and one.is_right([Span(3, 6, "LOC"), Span(0, 1, "PER")])
    assert not one.is_right([Span(3, 5, "PER")]) and not one.is_right([Span(5, 7, "PER")])
    named = Framed("", one.text, Span(0, 1, "PER"))
    assert named.is_right([Span(0, 1, "PER")]) and not named.is_right([])


def test_each_surname_stands_in_each_form() -> None:
    every = list(sentences())
    surnames = {"老X", "小X", "X某", "X and a title"}
    latin = {f"{name} in Latin letters" for name in ("a name", "a place", "an organisation")}
    others = {"a given name", "a firm", "a place", "a school"}
    others |= {"a country before an office", "a name from Japan", "a club"}
    others |= {"苹果, a firm", "小米, a firm"}
    beside = {
        "a country before 会": "LOC",
        "a place before 办": "LOC",
        "the place of an event": "LOC",
        "a place beside a hyphen": "LOC",
        "a person with a hyphen": "PER",
        "a firm with a hyphen": "ORG",
        "a province in a row": "LOC",
        "X and a short title": "PER",
        "a surname beside 姓": "PER",
        "a town of Japan": "LOC",
    }
    none = {"张 before a thing", "a drug", "a role in another word", "苹果, fruit", "小米, grain"}
    none |= {"两岸, of a river"}
    none |= {form for form, _, _ in NOTHING}
    assert {one.form for one in every} == surnames | latin | others | none | beside.keys()
    assert {one.form for one in every if one.absent} == none
    labels = {"a place in Latin letters": "LOC", "an organisation in Latin letters": "ORG"}
    labels |= {"a school": "ORG", "a firm": "ORG", "a place": "LOC"}
    labels |= {"a country before an office": "LOC", "a club": "ORG"}
    labels |= {"苹果, a firm": "ORG", "小米, a firm": "ORG"}
    labels |= beside
    named = [one for one in every if not one.absent]
    assert all(one.name.label == labels.get(one.form, "PER") for one in named)
    assert all(one.name.of(one.text) in {"老王", "小王", "王某", "王"} for one in named[:98])


def test_no_name_is_in_a_list_that_a_model_learnt_from() -> None:
    names = {one.name.of(one.text) for one in sentences()}
    for path in (LATIN, LATIN_BODIES, LATIN_PLACES, UNIVERSITIES):
        assert names.isdisjoint(listed(path))
    listed_ones = {*listed_names(), *listed(PLACES_ABROAD)}
    held_out = {*BODIES, *FIRMS, *TOWNS, *JAPANESE, *CLUBS, *DRUGS, *WITH_ROLES}
    held_out |= {*HYPHENED, *DOUBLE}.union(*(things for _, things, _ in NOTHING))
    assert held_out.isdisjoint(listed_ones)
    assert held_out.isdisjoint(name for names in things().values() for name in names)
    assert set(TOWNS_OF_JAPAN).isdisjoint(listed(JAPAN))
    english = {english for line in listed(ENGLISH_WORDS) for english in line.split()}
    assert english.isdisjoint(ENGLISH)


def test_each_province_in_a_row_is_looked_for() -> None:
    rows = [one for one in sentences() if one.form == "a province in a row"]
    first = [one for one in rows if one.text == "黔桂协同发展。"]
    assert [one.name.of(one.text) for one in first] == ["黔", "桂"]
