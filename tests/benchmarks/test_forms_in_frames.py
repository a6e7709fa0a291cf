"""Names in forms of address and others, in sentences that we wrote."""

from __future__ import annotations

from benchmarks.forms_in_frames import BODIES, FIRMS, JAPANESE, TOWNS, Framed, framed, sentences
from benchmarks.silver.exchanged import (
    LATIN,
    LATIN_BODIES,
    LATIN_PLACES,
    PLACES_ABROAD,
    UNIVERSITIES,
    listed,
)
from benchmarks.silver.known_names import listed_names
from fenjie.text.span import Span


def test_the_title_is_no_part_of_the_name() -> None:
    (one,) = framed("X and a title", "王", ("这是{}。",), "女士")
    assert one.name is not None
    assert (one.text, one.name.of(one.text)) == ("这是王女士。", "王")


def test_where_no_person_is_any_other_entity_is_right() -> None:
    one = Framed("张 before a thing", "他买了张沙发。", None)
    assert one.is_right([]) and one.is_right([Span(0, 1, "LOC")])
    assert not one.is_right([Span(3, 5, "PER")])
    named = one._replace(name=Span(0, 1, "PER"))
    assert named.is_right([Span(0, 1, "PER")]) and not named.is_right([])


def test_each_surname_stands_in_each_form() -> None:
    every = list(sentences())
    surnames = {"老X", "小X", "X某", "X and a title"}
    latin = {f"{name} in Latin letters" for name in ("a name", "a place", "an organisation")}
    others = {"a given name", "a firm", "a place", "a school"}
    others |= {"a country before an office", "张 before a thing", "a name from Japan"}
    assert {one.form for one in every} == surnames | latin | others
    labels = {"a place in Latin letters": "LOC", "an organisation in Latin letters": "ORG"}
    labels |= {"a school": "ORG", "a firm": "ORG", "a place": "LOC"}
    labels |= {"a country before an office": "LOC"}
    named = [(one, one.name) for one in every if one.name is not None]
    assert all(name.label == labels.get(one.form, "PER") for one, name in named)
    assert all(name.of(one.text) in {"老王", "小王", "王某", "王"} for one, name in named[:98])


def test_no_name_is_in_a_list_that_a_model_learnt_from() -> None:
    names = {one.name.of(one.text) for one in sentences() if one.name is not None}
    for path in (LATIN, LATIN_BODIES, LATIN_PLACES, UNIVERSITIES):
        assert names.isdisjoint(listed(path))
    listed_ones = {*listed_names(), *listed(PLACES_ABROAD)}
    assert {*BODIES, *FIRMS, *TOWNS, *JAPANESE}.isdisjoint(listed_ones)
