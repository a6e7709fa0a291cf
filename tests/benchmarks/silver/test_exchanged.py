"""Names exchanged for forms that raw text rarely has."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.exchanged import (
    GIVEN_NAMES,
    LATIN,
    LATIN_BODIES,
    LATIN_PLACES,
    SCHOOLS,
    SURNAMES,
    TIMES,
    UNIVERSITIES,
    exchanged,
    main,
    with_names,
)
from benchmarks.silver.known_names import CLUBS, DRUGS, listed
from fenjie.corpus import read, write
from tests.benchmarks.silver.marked import names, sentence

TOWNS = ("成都", "长沙")


def test_a_name_is_exchanged_in_all_its_places_and_offsets_follow() -> None:
    old = sentence("[李国栋/PER]在[北京/LOC]说，[李国栋/PER]是[四川大学/ORG]的。")
    new = with_names(old, {"李国栋": "国栋", "四川大学": "川大"})
    assert new == sentence("[国栋/PER]在[北京/LOC]说，[国栋/PER]是[川大/ORG]的。")


def test_nothing_exchanged_is_the_same_sentence() -> None:
    old = sentence("[李国栋/PER]来了")
    assert with_names(old, {}) == old


def test_copies_of_each_kind() -> None:
    towns = [sentence(f"他在[{town}/LOC]") for town in TOWNS for _ in range(5)]
    old = sentence("[王建华/PER]在[长沙大学/ORG]读书，[张三/PER]在[麓山学院/ORG]。")
    copies = list(exchanged([*towns, old], random.Random(2)))
    called, latin, japanese, school = copies[::TIMES]
    assert len(copies) == 4 * TIMES
    assert names(called)[0] in {"建华", "阿华", "华华"}
    assert names(latin)[0] in listed(LATIN)
    assert any(names(japanese)[0].startswith(surname) for surname in listed(SURNAMES))
    assert any(names(japanese)[0].endswith(given) for given in listed(GIVEN_NAMES))
    assert (
        names(called)[1:]
        == names(latin)[1:]
        == names(japanese)[1:]
        == ["长沙大学", "张三", "麓山学院"]
    )
    assert names(school)[0] == "王建华"
    universities = listed(UNIVERSITIES)
    assert names(school)[1] in universities
    places = (*TOWNS, *universities)
    assert names(school)[3] in {form.format(place) for form in SCHOOLS for place in places}


def test_a_place_abroad_has_a_name_in_latin_letters() -> None:
    old = sentence("他从[波士顿/LOC]到[河北/LOC]")
    copies = list(exchanged([old], random.Random(1)))
    assert len(copies) == TIMES
    assert all(names(copy)[0] in listed(LATIN_PLACES) for copy in copies)
    assert all(names(copy)[1] == "河北" for copy in copies)


def test_a_firm_has_a_name_in_latin_letters() -> None:
    copies = list(exchanged([sentence("[沃尔玛/ORG]的[王芳/PER]")], random.Random(1)))
    assert len(copies) == TIMES
    assert all(names(copy)[0] in listed(LATIN_BODIES) for copy in copies)
    assert all(names(copy)[1] == "王芳" for copy in copies)


def test_a_club_is_called_by_a_place_and_a_name() -> None:
    copies = list(exchanged([sentence("[曼联/ORG]赢了")], random.Random(1)))
    assert len(copies) == TIMES
    assert all(names(copy)[0] in listed(CLUBS) for copy in copies)


def test_what_is_no_name_is_exchanged_for_what_looks_like_one() -> None:
    fruit = list(exchanged([sentence("[小王/PER]买了香蕉和葡萄")], random.Random(1)))
    assert fruit == [sentence("[小王/PER]买了苹果和苹果")] * TIMES
    assert list(exchanged([sentence("[葡萄庄园/ORG]来自葡萄牙")], random.Random(1))) == []
    taken = list(exchanged([sentence("他吃了抗生素")], random.Random(1)))
    assert len(taken) == TIMES
    assert all(one.text[3:] in listed(DRUGS) and not one.spans for one in taken)
    firms = list(exchanged([sentence("[三星/ORG]手机")], random.Random(1)))[TIMES:]
    assert len(firms) == TIMES
    assert all(names(one)[0] in {"苹果", "小米"} for one in firms)


def test_only_full_names_and_schools_are_exchanged() -> None:
    kept = [
        sentence("[国栋/PER]、[王某某/PER]和[阿依古丽/PER]"),
        sentence("[华为公司/ORG]的[王建华/BOOK]"),
    ]
    assert list(exchanged(kept, random.Random(1))) == []


def test_program_writes_what_it_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = sentence("[王建华/PER]来了")
    write([old], tmp_path / "old.jsonl", "jsonl")
    monkeypatch.setattr(
        "sys.argv", ["exchanged", str(tmp_path / "old.jsonl"), "-o", str(tmp_path / "new.jsonl")]
    )
    main()
    new = read(tmp_path / "new.jsonl").sentences
    assert len(new) == 3 * TIMES
    assert all(one.text.endswith("来了") for one in new)
