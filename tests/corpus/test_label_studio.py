"""JSON of Label Studio."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fenjie.corpus import read, write
from fenjie.text.span import Sentence, Span
from tests.corpus.examples import ENTITIES, put, refused


def test_offsets_count_characters_or_utf16_code_units(tmp_path: Path) -> None:
    """Older versions count as JavaScript does; the text beside the offsets tells which it is."""
    expected = [Sentence("😀在北京😀", (Span(2, 4, "LOC"), Span(4, 5, "X")))]
    for first in (2, 3):
        last = first + 2
        values = (
            {"start": first, "end": last, "text": "北京", "labels": ["LOC"]},
            {"start": last, "end": last + first - 1, "text": "😀", "labels": ["X"]},
        )
        task = {"id": 1, "text": "😀在北京😀", "label": values, "annotator": 1}
        assert read(put(tmp_path, json.dumps([task]))).sentences == expected


@pytest.mark.parametrize(
    ("text", "start", "end", "said"),
    [
        ("王小明在\n北京", 3, 7, r"在\n北京"),  # a line end comes as a backslash and an n
        ("a\r\nb", 0, 4, r"a\n\nb"),
        ("买 王  小明", 2, 7, "王 小明"),  # a browser shows two spaces as one
        ("😀王  小明", 2, 7, "王 小明"),  # in UTF-16 code units
        (r"C:\nb", 2, 5, r"\nb"),
    ],
)
def test_whitespace_beside_the_offsets_is_that_of_a_browser(
    tmp_path: Path, text: str, start: int, end: int, said: str
) -> None:
    value = {"start": start, "end": end, "text": said, "labels": ["X"]}
    task = {
        "data": {"text": text},
        "annotations": [{"result": [{"type": "labels", "value": value}]}],
    }
    (sentence,) = read(put(tmp_path, json.dumps([task]))).sentences
    shift = text.startswith("😀")
    assert sentence.spans == (Span(start - shift, end - shift, "X"),)


def test_json_of_label_studio_is_json(tmp_path: Path) -> None:
    for sentences in ([], ENTITIES[:1], ENTITIES):
        write(sentences, tmp_path / "out", "label-studio")
        assert len(json.loads((tmp_path / "out").read_text(encoding="utf-8"))) == len(sentences)
        assert read(tmp_path / "out", "label-studio").sentences == sentences


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        ("label-studio", "{}", r":1: not JSON of Label Studio; found '{}'; expected an array"),
        ("label-studio", "[1]", ":1: not JSON of Label Studio; found '1\\]'; expected a task"),
        (None, '[{"text": "a"}\n\n,{"text": }]', ":3: not JSON of Label Studio; found '}\\]'"),
        (None, '[{"text": "a"} {"text": "a"}]', "expected a comma or ] after a task"),
        (None, '[{"text": "a"}]]', "expected nothing after the array"),
        (None, '[\n{"data": {}, "annotations": []}]', ":2: a task without a text; found {}"),
        (None, '[{"data": {"text": "a"}}]', ":1: a task with 0 annotations; expected one"),
        (None, '[{"data": {"a": "a"}, "annotations": [{}, {}]}]', "task with 2 annotations"),
        (None, '[{"data": {"a": "a"}, "annotations": [{}]}]', ":1: not labels"),
        (None, '[{"data": {"a": "a"}, "annotations": [{"result": [{"type": "hypertextlabels"}]}]}]',
         ":1: labels of another kind; found 'hypertextlabels'; expected \"labels\""),
        (None, '[{"text": "a", "label": ["X"]}]', ":1: not labels; found \\['X'\\]"),
        (None, '[{"text": "a", "label": [{"start": 0, "end": 1, "labels": []}]}]', "not one label"),
        (None, '[{"text": "a", "label": [{"start": 0}]}]', "not one label; found {.start.: 0}"),
        (None, '[{"text": "a", "entities": [{"start": 0, "end": 1, "label": "X"}]}]',
         "a span of the format jsonl in an array; found {'start'.*; expected an object a line"),
        (None, '[{"text": "ab", "label": [{"start": 0, "end": 1, "text": "b", "labels": ["X"]}]}]',
         "the text from 0 to 1 is not what the label says; found 'a'; expected 'b'"),
        (None, '[{"text": "a ", "label": [{"start": 1, "end": 2, "text": "a", "labels": ["X"]}]}]',
         "the text from 1 to 2 is not what the label says; found ' '; expected 'a'"),
        (None, '[{"text": "a", "label": [{"start": 0, "end": 2, "labels": ["X"]}]}]', "end <= 1"),
    ],
)  # fmt: skip
def test_files_that_are_not_what_they_should_be(
    tmp_path: Path, format: str | None, content: str, message: str
) -> None:
    refused(tmp_path, format, content, message)
