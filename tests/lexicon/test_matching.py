"""Every occurrence of every word of a lexicon is found in a text."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fenjie.lexicon import Lexicon, matching
from fenjie.text.vocabulary import code_points

WORDS = ["中国", "国人", "中国人", "人民", "中国人民银行", "𠮷野家", "的"]


def found(lexicon: Lexicon, text: str) -> list[str]:
    start, end, _ = lexicon.match(text)
    return [text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]


def test_against_a_search_for_each_word() -> None:
    choose = random.Random(0)
    words = {"".join(choose.choices("甲乙丙", k=choose.randint(2, 9))) for _ in range(200)}
    text = "".join(choose.choices("甲乙丙丁", k=500))
    start, end, word = Lexicon.build(words).match(text)
    matches = sorted(zip(start.tolist(), end.tolist(), strict=True))
    expected = sorted(
        (i, i + len(w)) for w in words for i in range(len(text)) if text.startswith(w, i)
    )
    assert matches == expected
    by_number = {
        number: text[a:b]
        for number, a, b in zip(word.tolist(), start.tolist(), end.tolist(), strict=True)
    }
    assert len(set(by_number.values())) == len(by_number)


def test_words_do_not_reach_over_the_border_of_texts() -> None:
    codes = code_points("中国人民")
    start, end, _ = Lexicon.build(WORDS).match_codes(codes, np.array([1, 4]))
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == [(1, 3), (2, 4)]


@pytest.mark.parametrize("text", ["", "中", "没有词"])
def test_nothing_to_find(text: str) -> None:
    assert found(Lexicon.build(WORDS), text) == []
    assert found(Lexicon.build([]), text) == []


def test_text_of_several_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "中国人民银行的𠮷野家，" * 20
    codes, ends = code_points(text), np.array([3, 50, 51, len(text)])
    whole = Lexicon.build(WORDS).match_codes(codes, ends)
    monkeypatch.setattr(matching, "CHUNK", 7)
    parts = Lexicon.build(WORDS).match_codes(codes, ends)
    assert all((one == other).all() for one, other in zip(whole, parts, strict=True))


def test_with_a_filter_the_same_words_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "LOOKUPS", 1 << 30)  # it is made at once
    choose = random.Random(1)
    words = {"".join(choose.choices("甲乙丙丁", k=choose.randint(2, 30))) for _ in range(300)}
    longest = "一个没有别的词那么长的词语" + "长" * 18
    text = "".join(choose.sample(sorted(words), 60)) + longest
    lexicon = Lexicon.build(words)
    lexicon.add(longest, "很长")
    assert set(found(lexicon, text)) == {word for word in words if word in text} | {longest}
    assert lexicon._matcher._filter is not None
