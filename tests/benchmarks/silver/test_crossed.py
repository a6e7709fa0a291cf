"""Text in which words cross what is spelt as a position."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.corrected import Tagged
from benchmarks.silver.crossed import COPIES, VERBS, crossing, exchanged, parted, with_verb
from fenjie.text.span import Sentence, Span


def test_another_verb_and_offsets_follow() -> None:
    (research, _), (learn, _), *_ = VERBS
    old = Sentence("李明保护生态，北京恢复生产。", (Span(0, 2, "PER"), Span(7, 9, "LOC")))
    new = Sentence("李明研究生态，北京研究生产。", old.spans)
    assert with_verb(old, research, "研究") == new
    old = Sentence("他学习生物，北京学习生字。", (Span(6, 8, "LOC"),))
    new = Sentence("他学生物，北京学生字。", (Span(5, 7, "LOC"),))
    assert with_verb(old, learn, "学") == new
    nothing = Sentence("他保护环境。", (Span(1, 3, "POSITION"),))
    assert with_verb(nothing, research, "研究") == nothing


def test_no_numeral_before_a_measure_word() -> None:
    *_, (sheet, one), (other, _) = VERBS
    old = Sentence("我买了一张沙发，李明拍了一张照片。", (Span(8, 10, "PER"),))
    new = Sentence("我买了张沙发，李明拍了张照片。", (Span(7, 9, "PER"),))
    assert with_verb(old, sheet, one) == new
    assert with_verb(Sentence("他抽了一包烟"), other, one) == Sentence("他抽了包烟")
    wrong = Sentence("成了一张亮丽的名片", (Span(3, 5, "PER"),))
    assert with_verb(wrong, sheet, one) == Sentence("成了张亮丽的名片")
    assert not sheet.search("一张张照片") and not sheet.search("他有第一张票")


def test_an_entity_that_holds_the_verb_is_dropped() -> None:
    old = Sentence("关心员工协会在开会", (Span(0, 6, "ORG"),))
    assert with_verb(old, VERBS[0][0], "研究") == Sentence("研究员工协会在开会")


def test_marks_that_sure_words_cross_are_taken_away() -> None:
    odds = np.array([9, -9, 9, -9, 9, -9], dtype=np.float32)
    crossed = Tagged(Sentence("研究生命科学", (Span(0, 3, "POSITION"),)), odds, False)
    plain = crossed._replace(names=Sentence("研究北京大学", (Span(2, 6, "ORG"),)))
    assert parted([crossed, plain]) == ([plain.names], [Sentence("研究生命科学")])


@pytest.mark.slow
def test_sentences_are_found_and_copied() -> None:
    texts = ["军队将军事斗争准备放在首位。", "他是将军。", "我们保护生态。"]
    assert list(crossing(texts, re.compile("将军"))) == texts[:1]
    copies = list(exchanged("ner", texts * 2, random.Random(1)))
    assert [one.text for one in copies] == ["我们研究生态。"] * 2
    assert COPIES > 2
