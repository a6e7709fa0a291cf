"""Texts of any length are worked on in parts."""

from __future__ import annotations

from pathlib import Path

import pytest

import fenjie
from fenjie.runtime import annotator
from fenjie.runtime.annotator import chunks, paragraphs
from fenjie.runtime.segmenter import Segmenter


@pytest.fixture(scope="module")
def segment(tiny_model: Path) -> Segmenter:
    return fenjie.load(tiny_model)


def test_long_texts_are_cut_at_paragraphs(
    segment: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "商品和服务。\n\n  他说的确实在理\n" * 40
    whole = segment(text)
    monkeypatch.setattr(annotator, "PART", 50)
    assert len(list(paragraphs(text))) > 5
    assert "".join(part for _, part in paragraphs(text)) == text
    assert segment(text) == whole
    assert segment([text, "商品", text]) == [whole, segment("商品"), whole]


def test_a_long_line_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotator, "PART", 20)

    def parts(text: str) -> list[str]:
        found = list(paragraphs(text))
        assert "".join(part for _, part in found) == text
        assert [text[start : start + len(part)] for start, part in found] == [p for _, p in found]
        return [part for _, part in found]

    line = "商品和服务的价格上涨了"
    assert parts(line * 2 + "。他说" * 9)[0] == line * 2 + "。"
    assert max(map(len, parts(line * 40))) <= 40
    assert max(map(len, parts("1" * 200))) == 40
    assert all(part[0] != "\u0301" for part in parts("e\u0301" * 100))
    assert parts("\u0301" * 90)[0] == "\u0301" * 40
    assert parts("a" * 40) == ["a" * 40]


def test_a_long_text_is_cut_alike_alone_and_in_a_list(
    segment: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotator, "PART", 50)
    line = "商品和服务的价格上涨了" * 20
    assert list(chunks(["短", line, "短", "文"])) == [["短"], [line], ["短", "文"]]
    assert segment(["短", line, "短"]) == [segment("短"), segment(line), segment("短")]
