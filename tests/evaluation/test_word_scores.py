"""Word scores, on cases counted by hand and against `diff` itself."""

from __future__ import annotations

import random
import shutil
import subprocess
from math import isnan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fenjie.errors import FenjieError
from fenjie.evaluation.alignment import matched
from fenjie.evaluation.word_scores import score
from fenjie.text.span import Sentence


def sentences(*lines: str) -> list[Sentence]:
    return [Sentence.from_words(line.split()) for line in lines]


def test_counted_by_hand() -> None:
    gold = sentences("研究 生命 的 起源", "我 爱 北京", "好")
    predicted = sentences("研究生 命 的 起源", "我 爱 北京", "好")
    scores = score(gold, predicted, {"我", "爱", "的", "研究"})
    assert (scores.gold, scores.predicted, scores.correct) == (8, 8, 6)
    assert (scores.oov, scores.oov_correct) == (4, 3)
    assert scores.precision == scores.recall == scores.f1 == 0.75
    assert scores.oov_rate == 0.5
    assert scores.oov_recall == 0.75
    assert scores.iv_recall == 0.75


def test_nothing_to_count() -> None:
    scores = score([], [])
    assert all(isnan(value) for value in (scores.precision, scores.recall, scores.f1))
    assert scores.as_dict()["f1"] is None
    every = score(sentences("我 爱"), sentences("我 爱"), {"我", "爱"})
    assert isnan(every.oov_recall) and every.iv_recall == 1
    assert every.as_dict()["oov_recall"] is None


def test_no_empty_sentence_counts() -> None:
    assert score(sentences("", "我"), sentences("", "我")).gold == 1


def test_sentences_must_correspond() -> None:
    with pytest.raises(FenjieError, match="1 predicted sentences for 2"):
        score(sentences("我", "你"), sentences("我"))
    with pytest.raises(FenjieError, match=r"sentence 2: .* found '他', expected '你'"):
        score(sentences("我", "你"), sentences("我", "他"))


SEGMENTED = st.lists(st.text("ab", min_size=1, max_size=3), max_size=12)


@given(SEGMENTED, SEGMENTED)
def test_matched_is_a_common_subsequence(left: list[str], right: list[str]) -> None:
    common = [word for word, found in zip(left, matched(left, right), strict=True) if found]
    rest = iter(right)
    assert all(word in rest for word in common)
    # The same number is common from the other side.
    assert sum(matched(right, left)) == len(common)


@given(SEGMENTED)
def test_all_is_matched_with_itself(words: list[str]) -> None:
    assert all(matched(words, words))


@pytest.mark.skipif(shutil.which("diff") is None, reason="there is no diff here")
@pytest.mark.parametrize("seed", range(40))
def test_equals_diff(seed: int, tmp_path: Path) -> None:
    """Two segmentations of one text, from short to long, from alike to wild."""
    chance = random.Random(seed)
    length = chance.choice([20, 100, 400, 2000])
    letters = "abcdefghijklmnop"[: chance.choice([2, 4, 16])]
    text = "".join(chance.choices(letters, k=length))
    first = [chance.random() < 0.5 for _ in text]
    differ = chance.choice([0.02, 0.2, 0.5])
    second = [edge ^ (chance.random() < differ) for edge in first]
    left, right = ([*cut(text, edges)] for edges in (first, second))
    names = []
    for name, words in (("left", left), ("right", right)):
        (tmp_path / name).write_text("".join(f"{word}\n" for word in words))
        names.append(str(tmp_path / name))
    shown = subprocess.run(
        ["diff", "--old-line-format=-", "--new-line-format=", "--unchanged-line-format=+", *names],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert "".join("+" if found else "-" for found in matched(left, right)).count("+") == (
        shown.count("+")
    )
    ours = sorted(word for word, found in zip(left, matched(left, right), strict=True) if found)
    theirs = sorted(word for word, mark in zip(left, shown, strict=True) if mark == "+")
    assert ours == theirs


def cut(text: str, edges: list[bool]) -> list[str]:
    words, start = [], 0
    for place, edge in enumerate(edges[:-1], 1):
        if edge:
            words.append(text[start:place])
            start = place
    return [*words, text[start:]]
