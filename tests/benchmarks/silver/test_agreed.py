"""Sentences of raw text as several models tag them together."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.agreed import agreed, sentences
from fenjie.text.span import Sentence, Span

TEXT = "华为在深圳发布"


def firm(sure: float | None = None) -> Span:
    return Span(0, 2, "ORG", sure)


def city(sure: float | None = None) -> Span:
    return Span(3, 5, "LOC", sure)


def tagged(*answers: tuple[Span, ...]) -> Sentence | None:
    return agreed(TEXT, [Sentence(TEXT, spans) for spans in answers])


def test_what_most_models_are_sure_of_is_there() -> None:
    found = tagged((firm(0.95), city(0.3)), (firm(0.95), city(0.3)), ())
    assert found == Sentence(TEXT, (firm(),))
    assert found.spans[0].confidence == pytest.approx(1.9 / 3)
    assert tagged((firm(),), (firm(),)) == Sentence(TEXT, (firm(),))


def test_a_sentence_with_a_doubt_is_left_out() -> None:
    assert tagged((firm(0.9), city(0.9)), (firm(0.9),)) is None
    assert tagged((firm(0.8),), (firm(0.8),), ()) is None


def test_spans_of_most_models_that_overlap() -> None:
    longer = Span(1, 5, "LOC", 0.7)
    assert tagged((longer,), (firm(), city())) is None  # in doubt
    assert tagged((longer,), (city(0.95),), (city(0.95),)) == Sentence(TEXT, (city(),))


def test_sentences_of_a_text_once_each_and_none_that_was_seen(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    one, two, three = "华为在深圳发布了新手机。", "我们昨天去了一趟北京！", "他在上海工作了三年。"
    path.write_text(f"短。{one}{two}\nOnly Latin letters.\n{one}{three}\n", encoding="utf-8")
    seen = {two}
    assert list(sentences(path, 1000, seen)) == [one, three]
    assert not list(sentences(path, 1000, seen))
    assert list(sentences(path, 5, set())) == [one]


def test_sentences_are_spread_over_a_text(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    lines = [f"第{number}天他在上海工作。" for number in range(10, 50)]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert list(sentences(path, 40, set())) == [lines[0], lines[5], lines[10], lines[15]]
