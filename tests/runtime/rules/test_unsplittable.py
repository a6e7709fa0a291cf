"""Stretches that stay whole, and how the rules agree with the PKU corpus."""

from __future__ import annotations

import time
from itertools import accumulate
from pathlib import Path

import pytest

from fenjie.runtime.rules.unsplittable import at_capitals, find_unsplittable, inside_latin
from fenjie.text.vocabulary import code_points

FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def shown(text: str) -> str:
    """The text with `|` where a word must begin and a space where one may."""
    found = find_unsplittable(text, code_points(text))
    marks = [
        "|" if edge else "" if inside else " "
        for inside, edge in zip(found.inside, found.edge, strict=True)
    ]
    shown = "".join(mark + char for mark, char in zip(marks, text, strict=True))
    return shown.strip(" |")


@pytest.mark.parametrize(
    "expected",
    [
        "涨 12.5% 了",
        "１２３．５％",
        "共 1,234,567.89 元",
        "１ ， ２３４",
        "-5 度",
        "10|-|20",
        "3/4 和 0·75",
        "第 3|-|4 页",
        "1.5|－|2 倍",
        "5%|−|10%",
        "010|-|62751234",
        "A4|-|5",
        "于 2024-01-02 到",
        "２０２４|－|０１|－|０２",
        "2024|-|01|-|02|-|03",
        "12 : 30",
        "5 G",
        "28.8 kbps",
        "iPhone15 、 GPT-4 、 Wi-Fi 、 don't",
        "ＡＢＣ 公 司",
        "naïve",
        "Привет ， 한국어",
        "见|https://a.com/x?y=1#z|。 好",
        "|https://a.com|，|https://b.com|！",
        "(|www.b.cn|)",
        "问|a.b+c@example.com|吧",
        "去|example.org/a|看",
        "|ｗｗｗ．ａ．ｃｏｍ．ｃｎ|， 好",
        "笑|😂|😂|了",
        "|👨‍👩‍👧‍👦|家",
        "|👍🏽|好",
        "|🇨🇳|🇺🇸|和",
        "|❤️|1️⃣|好",
        "e\u0301tude 好",
        "葛\U000e0100 城",
        "\u1112\u1161\u11ab 好",
        "か\u3099 好",
        "न\u093fदी",
    ],
)
def test_atoms(expected: str) -> None:
    text = expected.replace(" ", "").replace("|", "")
    assert shown(text) == expected.strip("|")


@pytest.mark.parametrize("text", ["", "商品和服务", "，。", "\ud800\udc00", "\0"])
def test_text_without_atoms(text: str) -> None:
    found = find_unsplittable(text, code_points(text))
    assert not found.inside.any()
    assert not found.edge.any()


@pytest.mark.parametrize(
    "part", [".", "a.", "1.", "-+", "a@", "www.", "http://!", "a-", "%", "1,", "1,234", "e\u0301"]
)
def test_the_time_is_linear(part: str) -> None:
    text = part * (200_000 // len(part))
    begin = time.process_time()
    find_unsplittable(text, code_points(text))
    assert time.process_time() - begin < 5


@pytest.mark.data
def test_the_rules_agree_with_the_training_corpus(data: Path) -> None:
    """Of the gaps that the rules close, hardly one is a boundary in PKU.

    Those that are stand in tables whose columns the corpus ran together.
    """
    closed = wrong = 0
    for line in (data / "cws/pku/train.utf8").read_text(encoding="utf-8").splitlines():
        words = line.split()
        text = "".join(words)
        inside = find_unsplittable(text, code_points(text)).inside
        closed += int(inside.sum())
        position = 0
        for word in words[:-1]:
            position += len(word)
            wrong += int(inside[position])
    assert closed > 30_000
    assert wrong < 0.015 * closed


@pytest.mark.parametrize(
    "parts",
    [["CEO", "Dario", "Amodei"], ["Team", "WE"], ["i", "Phone15Pro"], ["CSV转2024年"], ["A"], []],
)
def test_a_space_may_be_lost_before_a_capital_letter(parts: list[str]) -> None:
    codes = code_points("".join(parts))
    found = (inside_latin(codes) & at_capitals(codes)).nonzero()[0].tolist()
    assert found == list(accumulate(map(len, parts)))[:-1]
