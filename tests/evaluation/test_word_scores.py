"""Word scores, on cases counted by hand and against `diff` itself."""

from __future__ import annotations

from math import isnan

import pytest

from fenjie.errors import FenjieError
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
