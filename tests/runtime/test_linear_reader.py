"""Texts to words by a linear model: what is asked, and of what."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fenjie
from fenjie.runtime import segmenter
from fenjie.runtime.segmenter import Segmenter
from tests.reference import linear


@pytest.fixture(scope="module")
def segment(tiny_linear: Path) -> Segmenter:
    return fenjie.load(tiny_linear)


def test_the_model_decides(segment: Segmenter) -> None:
    text = "商品和服务他说的确实在理"
    scores = linear.scores(segment.folder.linear, text)
    expected = [0, *(place for place in range(1, len(text)) if scores[place] > 0)]
    assert [span.start for span in segment(text).spans] == expected
    assert 1 < len(expected) < len(text)


def test_log_odds_are_those_of_the_model_where_it_is_asked(segment: Segmenter) -> None:
    texts = ["商品 和3.5元", "", "他说"]
    found = segment.log_odds(texts)
    asked = [[1, 4, 7], [], [1]]
    for text, odds, places in zip(texts, found, asked, strict=True):
        assert np.flatnonzero(~np.isnan(odds)).tolist() == places
        scores = linear.scores(segment.folder.linear, text)
        assert odds[places].tolist() == [scores[place] / 16 for place in places]


def test_neither_onnxruntime_nor_torch_is_loaded(tiny_linear: Path) -> None:
    code = (
        "import sys, fenjie; tagger = fenjie.load(sys.argv[1]); tagger('商品'); "
        "print({'onnxruntime', 'torch'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", code, str(tiny_linear)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_list_is_its_texts_however_many_are_read_at_once(
    segment: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["商品和服务，他说的确实在理。", "", "今天 天气\t很好！北京", "价格３．５％😂 abc"] * 5
    words = [segment.cut(text) for text in texts]
    for characters in (1, 30, 1 << 12):
        monkeypatch.setattr(segmenter, "TOGETHER", characters)
        assert segment.cut(texts) == words
