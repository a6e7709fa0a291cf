"""Entities that what stands beside them says to be shorter, several, or none."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.beside import beside, beside_in
from fenjie.text.span import Sentence
from tests.benchmarks.silver.marked import sentence


def found(marks: str, words: str) -> list[tuple[str, str]]:
    """The entities of a marked sentence after mending, where the words are as they stand.

    Args:
        marks: such as `[中国会/ORG]赢`.
        words: the same text with spaces between words.
    """
    old = sentence(marks)
    starts = np.full(len(old.text), -9, dtype=np.float32)
    at = 0
    for word in words.split(" "):
        starts[at] = 9
        at += len(word)
    new = beside(old, starts, {"中国", "铁岭", "北京"})
    return [(span.of(new.text), span.label) for span in new.spans]


def test_a_verb_after_a_place_is_no_part_of_it() -> None:
    assert found("我觉得[中国会/ORG]赢", "我 觉得 中国 会 赢") == [("中国", "LOC")]
    assert found("婚礼回[铁岭办/ORG]", "婚礼 回 铁岭 办") == [("铁岭", "LOC")]
    assert found("[国台办/ORG]说", "国台办 说") == [("国台办", "ORG")]
    assert found("[中国国会/ORG]说", "中国 国会 说") == [("中国国会", "ORG")]
    assert found("[红会/ORG]说", "红 会 说") == [("红会", "ORG")]


def test_a_trade_is_no_bank() -> None:
    assert found("[北京银行/ORG]业在变", "北京 银行业 在 变") == [("北京", "LOC")]
    assert found("[北京银行/ORG]业绩好", "北京 银行 业绩 好") == [("北京银行", "ORG")]


def test_of_an_event_the_place_is_a_name() -> None:
    assert found("[北京冬奥会/ORG]开幕", "北京 冬奥会 开幕") == [("北京", "LOC")]
    assert found("[北京奥运会/LOC]和[奥运/ORG]", "北京 奥运会 和 奥运") == [("北京", "LOC")]
    assert found("[2022北京冬奥会/ORG]", "2022 北京 冬奥会") == [("北京", "LOC")]
    assert found("[中国国际电影节/LOC]", "中国 国际 电影节") == [("中国", "LOC")]
    assert found("[冬残奥会/ORG]和[G20峰会/ORG]", "冬残奥会 和 G20 峰会") == []
    whole = [("北京冬奥会组委会", "ORG")]
    assert found("[北京冬奥会组委会/ORG]说", "北京 冬奥会 组委会 说") == whole


def test_a_storm_is_no_name() -> None:
    assert found("台风“[莫拉克/PER]”到[中国/LOC]", "台风 “ 莫拉克 ” 到 中国") == [("中国", "LOC")]
    assert found("[莫拉克/PER]说", "莫拉克 说") == [("莫拉克", "PER")]


def test_each_province_in_a_row_is_a_place() -> None:
    places = [(one, "LOC") for one in "沪苏浙皖"]
    assert found("[沪苏/LOC][浙皖/LOC][四省/LOC]一体", "沪 苏 浙 皖 四 省 一体") == places
    assert found("[京津冀/LOC]一体", "京津冀 一体") == [("京津冀", "LOC")]
    assert found("在[沪苏浙皖银行/ORG]", "在 沪苏浙皖 银行") == [("沪苏浙皖银行", "ORG")]
    assert found("川渝两地", "川 渝 两 地") == []


def test_where_such_entities_may_stand() -> None:
    assert beside_in("中国会赢，台风“烟花”来了") == {"中国会赢", "台风“烟花"}
    assert beside_in("法国国会说，沪苏浙皖在上海办") == {"国国会说", "沪苏浙皖", "上海办"}


def test_text_without_entities_stays() -> None:
    plain = Sentence("天气很好", ())
    assert beside(plain, np.zeros(4, dtype=np.float32), set()) == plain
