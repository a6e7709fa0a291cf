"""Names in forms of address and others, in sentences that we wrote."""

from __future__ import annotations

from benchmarks.forms_in_frames import (
    BODIES,
    CLUBS,
    DRUGS,
    FIRMS,
    JAPANESE,
    TOWNS,
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
from benchmarks.silver.known_names import listed, listed_names
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
    none = {"张 before a thing", "a drug", "a role in another word", "苹果, fruit", "小米, grain"}
    assert {one.form for one in every} == surnames | latin | others | none
    assert {one.form for one in every if one.absent} == none
    labels = {"a place in Latin letters": "LOC", "an organisation in Latin letters": "ORG"}
    labels |= {"a school": "ORG", "a firm": "ORG", "a place": "LOC"}
    labels |= {"a country before an office": "LOC", "a club": "ORG"}
    labels |= {"苹果, a firm": "ORG", "小米, a firm": "ORG"}
    named = [one for one in every if not one.absent]
    assert all(one.name.label == labels.get(one.form, "PER") for one in named)
    assert all(one.name.of(one.text) in {"老王", "小王", "王某", "王"} for one in named[:98])


def test_no_name_is_in_a_list_that_a_model_learnt_from() -> None:
    names = {one.name.of(one.text) for one in sentences()}
    for path in (LATIN, LATIN_BODIES, LATIN_PLACES, UNIVERSITIES):
        assert names.isdisjoint(listed(path))
    listed_ones = {*listed_names(), *listed(PLACES_ABROAD)}
    held_out = {*BODIES, *FIRMS, *TOWNS, *JAPANESE, *CLUBS, *DRUGS, *WITH_ROLES}
    assert held_out.isdisjoint(listed_ones)
