"""Names of the halves of two others, in their sentences."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.blended import KINDS, LETTERS, OFTEN, blend, blended, main, names_to_blend
from benchmarks.silver.exchanged import TIMES
from fenjie.corpus import read, write
from fenjie.text.span import Sentence
from tests.benchmarks.silver.marked import names, sentence

FIRMS = [
    sentence(f"他在[{name}/ORG]上班") for name in ("华为", "腾讯", "知乎") for _ in range(OFTEN)
]


def in_chinese(sentences: list[Sentence]) -> list[Sentence]:
    """The copies of sentences whose names are not in Latin letters."""
    copies = blended(sentences, (), random.Random(1))
    return [one for one in copies if not re.search("[A-Z]", one.text)]


def test_a_blend_is_no_known_name() -> None:
    made = {blend(["华为", "腾讯"], {"华讯"}, random.Random(seed)) for seed in range(20)}
    assert made == {"腾为"}
    made = {blend(["布达佩斯", "阿勒颇"], (), random.Random(seed)) for seed in range(20)}
    assert made == {"布达颇", "阿勒佩斯"}


def test_names_of_a_kind_stand_for_one_another() -> None:
    rare = sentence("[小厂/ORG]的[王芳/PER]在[北京/LOC]")
    copies = in_chinese([*FIRMS, rare])
    assert len(copies) == TIMES * (len(FIRMS) + 1)
    made = {names(one)[0] for one in copies}
    assert made <= {a[0] + b[1] for a in ("华为", "腾讯", "知乎") for b in ("华为", "腾讯", "知乎")}
    assert made.isdisjoint({"华为", "腾讯", "知乎", "小厂"})
    assert {tuple(names(one)[1:]) for one in copies} == {(), ("王芳", "北京")}


def test_few_names_and_bodies_are_left_as_they_are() -> None:
    assert in_chinese(FIRMS[:OFTEN]) == []
    bodies = [sentence(f"[{name}/ORG]") for name in ("国防部", "市政府") for _ in range(OFTEN)]
    assert list(blended(bodies, (), random.Random(1))) == []


def test_names_in_latin_letters_are_of_the_halves_of_listed_ones() -> None:
    latin = {kind.label: kind for kind in KINDS if kind.halves is not None}
    assert set(latin) == {"ORG", "PER"}
    for label, old in (("ORG", "他在[华为/ORG]上班"), ("PER", "[王小明/PER]在[北京/LOC]")):
        copies = list(blended([sentence(old)], (), random.Random(1)))
        assert len(copies) == TIMES
        for one in copies:
            name = names(one)[0]
            assert LETTERS.fullmatch(name) and name not in names_to_blend([], latin[label])
            assert one.spans[0].label == label


def test_program_writes_what_it_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(FIRMS, tmp_path / "old.jsonl", "jsonl")
    files = str(tmp_path / "old.jsonl"), "-o", str(tmp_path / "new.jsonl")
    monkeypatch.setattr("sys.argv", ["blended", *files])
    main()
    # Each once more in Latin letters.
    assert len(read(tmp_path / "new.jsonl").sentences) == 2 * TIMES * len(FIRMS)
