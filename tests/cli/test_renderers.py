"""Formats that several commands write."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from fenjie.cli import renderers
from fenjie.cli.renderers import columns, form_of, jsonl
from fenjie.scale.blocks import Line
from fenjie.text.span import Sentence, Span

SENTENCES = [
    Sentence("在北京", (Span(1, 3, "LOC", 0.87654),)),
    Sentence("，"),
    Sentence("他", (Span(0, 1),)),
]
LINE = Line("在北京，他", "\n")


def test_jsonl_is_one_line_with_spans_and_entities(monkeypatch: pytest.MonkeyPatch) -> None:
    value: dict[str, object] = {"text": LINE.text, "spans": [[1, 3, "LOC"], [4, 5, "W"]]}
    entity = {"text": "北京", "label": "LOC", "start": 1, "end": 3, "confidence": 0.8765}
    for size in (1, 2, 100):
        monkeypatch.setattr(renderers, "_SLICE", size)
        assert json.loads("".join(jsonl(SENTENCES, LINE))) == value
        line = "".join(jsonl(SENTENCES, LINE, entities=True))
        assert line == json.dumps(value | {"entities": [entity]}, ensure_ascii=False) + "\n"
    empty = "".join(jsonl([Sentence("")], Line(""), entities=True))
    assert empty == '{"text": "", "spans": [], "entities": []}\n'


def test_jsonl_escapes_and_offsets_go_over_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderers, "_SLICE", 3)
    spans = (Span(0, 1, "X"), Span(1, 2, "Y", 0.5))
    line = Line('"\\\x01😀"\x85' * 2, "\n")
    half = Sentence('"\\\x01😀"\x85', spans)
    found = json.loads("".join(jsonl([half, half], line, entities=True)))
    assert found["text"] == line.text
    assert found["spans"] == [[0, 1, "X"], [1, 2, "Y"], [6, 7, "X"], [7, 8, "Y"]]
    assert [(e["text"], e["start"]) for e in found["entities"]] == [
        *(('"', 0), ("\\", 1)),
        *(('"', 6), ("\\", 7)),
    ]


def test_entities_of_a_long_line_take_little_memory() -> None:
    count = 10_000
    sentence = Sentence("北京", (Span(0, 2, "LOC", 0.9),))
    line = Line("北京" * count)
    tracemalloc.start()
    try:
        assert sum(map(len, jsonl([sentence] * count, line, entities=True))) > 80 * count
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_columns_are_a_character_and_its_tag() -> None:
    rest = "， O\n他 S\n\n"
    assert "".join(columns("BMES")(SENTENCES, LINE)) == "在 O\n北 B-LOC\n京 E-LOC\n" + rest
    rest = "， O\n他 B\n\n"
    assert "".join(columns("BIO")(SENTENCES, LINE)) == "在 O\n北 B-LOC\n京 I-LOC\n" + rest


def test_a_name_that_says_no_format(tmp_path: Path) -> None:
    known = ("jsonl", "bmes")
    for name in ("a", "a.txt", "a.txt.xz", "a.ann", "jsonl", ".jsonl.d/a"):
        assert form_of(tmp_path / name, known, "spaced") == "spaced"
    assert form_of(None, known, "spaced") == "spaced"
    assert form_of(tmp_path / "a.ann", ("brat",), "jsonl") == "brat"
