"""Surnames in forms of address, in sentences that we wrote."""

from __future__ import annotations

from benchmarks.forms_in_frames import framed, sentences


def test_the_title_is_no_part_of_the_person() -> None:
    (one,) = framed("X and a title", "王", "女士", ("这是{}。",))
    assert (one.text, one.person.of(one.text)) == ("这是王女士。", "王")


def test_each_surname_stands_in_each_form() -> None:
    every = list(sentences())
    assert {one.form for one in every} == {"老X", "小X", "X某", "X and a title"}
    assert all(one.person.label == "PER" for one in every)
    assert all(one.person.of(one.text) in {"老王", "小王", "王某", "王"} for one in every[:98])
