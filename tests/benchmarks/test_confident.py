"""Sentences of which one model is sure, and the names that it knows elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks import confident
from fenjie.text.span import Sentence, Span

SHOP, CITY = "海底捞", "上海市"


def tagged(text: str, *found: tuple[str, str, float]) -> Sentence:
    spans = [
        Span(start := text.index(name), start + len(name), label, sure)
        for name, label, sure in found
    ]
    return Sentence(text, tuple(spans))


SURELY = [tagged(f"海底捞第{n}家店", (SHOP, "ORG", 0.85)) for n in "一二三"]
UNSEEN = tagged("上海市的海底捞很好吃", (CITY, "LOC", 0.99))
LONGER = tagged("海底捞公司涨价了", ("海底捞公司", "ORG", 0.99))


def test_names_that_the_model_is_mostly_sure_of() -> None:
    assert confident.known_names([*SURELY, UNSEEN, LONGER], [SHOP, CITY, "京东"]) == {SHOP}
    doubtful = [tagged("吃海底捞", (SHOP, "ORG", 0.7))] * 4
    assert not confident.known_names([*SURELY, *doubtful], [SHOP])
    assert not confident.known_names([tagged("上京东", ("京东", "ORG", 0.9))], ["京东"])  # 上|京东


def test_a_name_is_marked_where_nothing_is() -> None:
    (found,) = confident.with_names([UNSEEN], [SHOP])
    assert found.spans == (Span(0, 3, "LOC"), Span(4, 7, "ORG"))
    assert list(confident.with_names([LONGER], [SHOP])) == [LONGER]


def test_sentences_are_cut_out_of_tagged_lines_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "短。海底捞在上海开了新店！海底捞在上海开了新店！他们说海底捞在上海市。"
    entities = [
        {"text": SHOP, "label": "ORG", "start": at, "end": at + 3, "confidence": 0.9}
        for at in range(len(text))
        if text.startswith(SHOP, at)
    ]
    entities.append({"text": "新店", "label": "GAME", "start": 10, "end": 12, "confidence": 0.9})
    entities.sort(key=lambda one: one["start"])
    path = tmp_path / "tagged.jsonl"
    path.write_text(json.dumps({"text": text, "entities": entities}) + "\n", encoding="utf-8")
    monkeypatch.setattr(confident, "aside", lambda: iter(()))
    found = list(confident.sentences(path))
    assert [one.text for one in found] == ["海底捞在上海开了新店！", "他们说海底捞在上海市。"]
    assert [one.spans for one in found] == [(Span(0, 3, "ORG"),), (Span(3, 6, "ORG"),)]
    assert found[0].spans[0].confidence == 0.9


def test_sentences_are_spread() -> None:
    items = [Sentence(str(n)) for n in range(10)]
    assert [one.text for one in confident.spread(items, 3)] == ["0", "3", "6"]
    assert confident.spread(items, 20) == items
