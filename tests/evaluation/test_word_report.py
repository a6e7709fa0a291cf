"""The report of the most frequent errors."""

from __future__ import annotations

from fenjie.evaluation.confusions import Confusion
from fenjie.evaluation.word_report import differences, report
from fenjie.text.span import Sentence


def sentences(*lines: str) -> list[Sentence]:
    return [Sentence.from_words(line.split()) for line in lines]


def test_kinds_counts_and_examples() -> None:
    gold = sentences(
        "研究 生命 的 起源", "他 研究 生命", "中华人民共和国 好", "我 也 不 会", "一 二"
    )
    predicted = sentences(
        "研究生 命 的 起源", "他 研究生 命", "中华 人民 共和国 好", "我 也不会", "一 二"
    )
    found = report(gold, predicted)
    assert found.kinds == {"split": 1, "merged": 1, "shifted": 2}
    assert found.confusions[0] == Confusion(
        "shifted",
        ("研究", "生命"),
        ("研究生", "命"),
        2,
        ("[研究生命]的起源", "他[研究生命]"),
    )
    rest = {(c.kind, c.gold, c.predicted) for c in found.confusions[1:]}
    assert rest == {
        ("split", ("中华人民共和国",), ("中华", "人民", "共和国")),
        ("merged", ("也", "不", "会"), ("也不会",)),
    }


def test_limits() -> None:
    gold, predicted = sentences(*["甲乙 丙丁"] * 5), sentences(*["甲 乙 丙丁"] * 5)
    found = report(gold, predicted, most=1)
    assert found.kinds["split"] == 5
    assert len(found.confusions) == 1
    assert len(found.confusions[0].examples) == 2
    assert report(gold, predicted, most=0).confusions == ()


def test_smallest_stretches() -> None:
    gold, predicted = sentences("甲乙 丙 丁戊 己", "甲 乙丙 丁 戊 己")
    assert list(differences(gold, predicted)) == [
        (0, 3, ("甲乙", "丙"), ("甲", "乙丙")),
        (3, 5, ("丁戊",), ("丁", "戊")),
    ]
