"""JSON Lines of doccano."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fenjie.corpus import doccano, read, write
from fenjie.text.span import Sentence, Span
from tests.corpus.examples import put, refused

EMOJI = Sentence("😀在北京😀", (Span(2, 4, "LOC"), Span(4, 5, "X")))


def test_offsets_count_utf16_code_units(tmp_path: Path) -> None:
    line = '{"text": "😀在北京😀", "labels": [[3, 5, "LOC"], [5, 7, "X"]]}\n'
    assert read(put(tmp_path, line)).sentences == [EMOJI]
    write([EMOJI], tmp_path / "out", "doccano")
    assert json.loads((tmp_path / "out").read_text(encoding="utf-8"))["label"] == [
        [3, 5, "LOC"],
        [5, 7, "X"],
    ]


def test_objects_for_spans(tmp_path: Path) -> None:
    entity = {"id": 3, "label": "LOC", "start_offset": 0, "end_offset": 2}
    content = json.dumps({"text": "北京", "entities": [entity]})
    assert read(put(tmp_path, content)).sentences == [Sentence("北京", (Span(0, 2, "LOC"),))]


def test_a_line_of_the_format_jsonl_is_not_of_doccano() -> None:
    assert doccano.looks_so('{"id": 1, "label": [], "text": ""}')
    assert not doccano.looks_so('{"label": [], "spans": []}')
    assert not doccano.looks_so("中 O")


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        ("doccano", '{"text": "a", "label": []}\n{"text": "a"}', ":2: not a sentence"),
        ("doccano", '{"text": "a", "label": ["X"]}', ":1: not a span; found 'X'"),
        (None, '{"text": "a", "label": [[0, 2, "X"]]}', r":1: not a span.*end <= 1"),
        (None, '{"text": "abc", "label": [[0, 2, "X"], [1, 3, "Y"]]}', ":1: spans overlap"),
        (None, '{"text": "😀b", "label": [[1, 3, "X"]]}', r"not a span.*end <= 3 at the .* UTF-16"),
        (None, '{"text": "a", "entities": [{"label": "X"}]}', "found {'label': 'X'}"),
    ],
)  # fmt: skip
def test_files_that_are_not_what_they_should_be(
    tmp_path: Path, format: str | None, content: str, message: str
) -> None:
    refused(tmp_path, format, content, message)
