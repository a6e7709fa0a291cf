"""Sentences and windows."""

from __future__ import annotations

import time

import pytest

from fenjie.errors import FenjieError
from fenjie.text.split import passages, sentences, windows


@pytest.mark.parametrize(
    "parts",
    [
        [],
        ["没有句号"],
        ["你好。", "再见！", "真的？", "嗯；", "好……", "完"],
        ["他说：“走吧。”", "（真的？！）", "她说：「好。」』", "我们走"],
        ["第一行\n", "第二行\r\n", "三"],
        ["一。\n\n", "二\n\n", "三"],
        ["见http://a.b/?c=d!e，好"],
        ["Really?", " Yes!", " 对"],
        ["等等...好"],
        ["行\u2028", "行\u0085", "行"],
        ["。", "「。」"],
    ],
)
def test_sentences(parts: list[str]) -> None:
    text = "".join(parts)
    assert [text[start:end] for start, end in sentences(text)] == parts


@pytest.mark.parametrize(
    ("parts", "size"),
    [
        ([], 5),
        (["你好。你好"], 5),
        (["你好。", "你好。完"], 5),
        (["一。二。", "三。四。", "五"], 4),
        (["没有句号没有句号"], 4),
        (["一。", "没有句号没有句号。", "二。三"], 4),
        (["一。\n\n", "二\r\n", "三"], 9),
        (["一。\n", "二二。", "三三。"], 4),
        (["\n\n", "一"], 4),
    ],
)
def test_pieces(parts: list[str], size: int) -> None:
    text = "".join(parts)
    assert [text[start:end] for start, end in passages(text, size)] == parts


@pytest.mark.parametrize("unit", ["字", "!", '"', "。", '。"', "!a", '!"', "\n", "\r\n", "?）"])
def test_a_megabyte_takes_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit)) + "a"
    start = time.process_time()
    found = sentences(text)
    passages(text, 200)
    assert time.process_time() - start < 5
    assert found[0][0] == 0
    assert found[-1][1] == len(text)


def test_windows() -> None:
    assert windows(0, 4, 1) == []
    assert windows(4, 4, 1) == [(0, 4)]
    assert windows(5, 4, 1) == [(0, 4), (1, 5)]
    assert windows(10, 4, 2) == [(0, 4), (2, 6), (4, 8), (6, 10)]
    assert windows(11, 4, 0) == [(0, 4), (4, 8), (7, 11)]
    for size, overlap in (4, 4), (4, -1), (0, 0):
        with pytest.raises(FenjieError, match="cannot overlap"):
            windows(9, size, overlap)
