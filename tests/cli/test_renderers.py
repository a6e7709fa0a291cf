"""Formats that several commands write."""

from __future__ import annotations

import json

from fenjie.cli.renderers import columns, jsonl
from fenjie.scale.blocks import Line
from fenjie.text.span import Sentence, Span

SENTENCES = [
    Sentence("在北京", (Span(1, 3, "LOC"),)),
    Sentence("，"),
    Sentence("他", (Span(0, 1),)),
]
LINE = Line("在北京，他", "\n")


def test_jsonl_is_one_line_with_spans_and_more() -> None:
    line = "".join(jsonl(SENTENCES, LINE))
    value = {"text": "在北京，他", "spans": [[1, 3, "LOC"], [4, 5, "W"]]}
    assert line == json.dumps(value, ensure_ascii=False) + "\n"
    more = "".join(jsonl(SENTENCES, LINE, lambda sentence, at: [(at, sentence.text)], "parts"))
    value["parts"] = [[0, "在北京"], [3, "，"], [4, "他"]]
    assert more == json.dumps(value, ensure_ascii=False) + "\n"
    empty = "".join(jsonl([Sentence("")], Line(""), lambda *_: [], "parts"))
    assert empty == '{"text": "", "spans": [], "parts": []}\n'


def test_columns_are_a_character_and_its_tag() -> None:
    rest = "， O\n他 S\n\n"
    assert "".join(columns("BMES")(SENTENCES, LINE)) == "在 O\n北 B-LOC\n京 E-LOC\n" + rest
    rest = "， O\n他 B\n\n"
    assert "".join(columns("BIO")(SENTENCES, LINE)) == "在 O\n北 B-LOC\n京 I-LOC\n" + rest
