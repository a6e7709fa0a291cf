"""Sentences in long lines, with and without their ends."""

from __future__ import annotations

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.passages import FORMS, LINE, ended
from tests.benchmarks.silver.marked import names, sentence

SENTENCES = [
    sentence("“[王芳/PER]在[北京/LOC]！”"),
    sentence("[！！乐队/ORG]到了[上海/LOC]吗？他说"),
    sentence("[？/ORG]"),
]


def test_a_sentence_gets_an_end_where_it_has_none() -> None:
    assert [ended(one).text[-2:] for one in SENTENCES] == ["！”", "说。", "？"]


def test_names_keep_their_places_in_lines() -> None:
    many = SENTENCES * 400
    lines = list(FORMS["lines"](many))
    assert all(len(line.text) >= LINE for line in lines[:-1])
    assert [name for line in lines for name in names(line)] == [n for s in many for n in names(s)]


def test_names_keep_their_places_without_ends() -> None:
    (line,) = FORMS["without ends"](SENTENCES)
    assert line.text == "“王芳在北京”乐队到了上海吗他说"
    assert names(line) == ["王芳", "北京", "乐队", "上海"], "what is nothing but an end is gone"
