"""Words through windows of a length, and text without sentence ends."""

from __future__ import annotations

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

import fenjie
from benchmarks.word_windows import FORMS, measured
from fenjie.runtime.scorer import OnnxScorer

TEXTS = [
    "结婚的和尚未结婚的研究生命起源的人都来到了北京大学生活动中心。",
    "我们在这里学习！！",
    "……",
]


def test_words_tile_text_without_ends() -> None:
    (line,) = FORMS["without ends"](fenjie.load("segment")(TEXTS))
    assert line.text == "".join(TEXTS[:2]).replace("。", "").rstrip("！")
    assert "".join(line.words) == line.text


@pytest.mark.parametrize("form", FORMS)
def test_words_of_the_model_are_all_right_through_its_own_windows(form: str) -> None:
    tagger = fenjie.load("segment")
    texts = [line.text for line in FORMS[form](tagger(TEXTS * 40))]
    gold = {"pku": list(tagger(texts))}
    by = OnnxScorer.of(tagger.folder, (1, 2), threads=1)
    assert measured(tagger.folder, by, 128, gold).f1 == {"pku": 100.0}
    f1 = measured(tagger.folder, by, 4, gold).f1["pku"]
    assert f1 < 100, "a window of 4 cuts them otherwise"
