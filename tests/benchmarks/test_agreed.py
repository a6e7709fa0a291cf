"""Sentences that several models tag alike."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.agreed import agreed, sentences
from fenjie.text.span import Sentence, Span

TEXT = "华为在深圳发布"
FIRM, CITY, LONG = Span(0, 2, "ORG"), Span(3, 5, "LOC"), Span(2, 5, "LOC")


def tagged(*answers: tuple[Span, ...]) -> Sentence | None:
    return agreed(TEXT, [Sentence(TEXT, spans) for spans in answers])


def test_what_all_models_but_one_find_is_there() -> None:
    assert tagged((FIRM, CITY), (FIRM, CITY), (FIRM,), (FIRM, LONG)) is None  # two of four
    found = tagged((FIRM, CITY), (FIRM, CITY), (FIRM, CITY), (LONG,))
    assert found == Sentence(TEXT, (FIRM, CITY))


def test_other_types_have_no_vote() -> None:
    role = Span(5, 7, "POSITION")
    assert tagged((role,), (role,), (), ()) == Sentence(TEXT)


def test_sentences_of_a_text_once_each_and_none_that_is_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    one, two, three = "华为在深圳发布了新手机。", "我们昨天去了一趟北京！", "他在上海工作了三年。"
    path.write_text(f"短。{one}{two}\nOnly Latin letters.\n{one}{three}\n", encoding="utf-8")
    assert list(sentences(path, 1000, {two})) == [one, three]
    assert list(sentences(path, 5, set())) == [one]
