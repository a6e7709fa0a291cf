"""Texts of any length are worked on in parts."""

from __future__ import annotations

from pathlib import Path

import pytest

import fenjie
from fenjie.runtime import annotator
from fenjie.runtime.annotator import paragraphs
from fenjie.runtime.segmenter import Segmenter


@pytest.fixture(scope="module")
def segment(tiny_model: Path) -> Segmenter:
    return fenjie.load(tiny_model)


def test_long_texts_are_cut_at_paragraphs(
    segment: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "商品和服务。\n\n  他说的确实在理\n" * 40
    whole = segment(text)
    monkeypatch.setattr(annotator, "CHUNK", 50)
    assert len(list(paragraphs(text))) > 5
    assert "".join(part for _, part in paragraphs(text)) == text
    assert segment(text) == whole
    assert segment([text, "商品", text]) == [whole, segment("商品"), whole]
