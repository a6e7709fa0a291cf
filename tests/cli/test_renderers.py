"""Formats that several commands write."""

from __future__ import annotations

import json

from fenjie.cli.renderers import columns, jsonl
from fenjie.cli.streams import Line
from fenjie.text.span import Sentence, Span

SENTENCE = Sentence("在北京", (Span(1, 3, "LOC"),))


def test_jsonl_is_one_line_with_spans_and_more() -> None:
    line = jsonl(SENTENCE, source="a\nb")
    assert line.count("\n") == 1
    assert json.loads(line) == {"text": "在北京", "spans": [[1, 3, "LOC"]], "source": "a\nb"}
    assert "北京" in line


def test_columns_are_a_character_and_its_tag() -> None:
    assert columns("BMES")(SENTENCE, Line("")) == "在 O\n北 B-LOC\n京 E-LOC\n\n"
    assert columns("BIO")(SENTENCE, Line("")) == "在 O\n北 B-LOC\n京 I-LOC\n\n"
