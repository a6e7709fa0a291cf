"""JSON Lines with text and spans."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fenjie.corpus import read, write
from fenjie.corpus.jsonl import NOT_ACCEPTED
from fenjie.text.span import Sentence, Span
from tests.corpus.examples import put, refused


def test_a_text_about_labels_is_no_label(tmp_path: Path) -> None:
    sentence = Sentence('{"label": [] , "entities": []}', (Span(0, 1, "X"),))
    write([sentence], tmp_path / "out", "jsonl")
    assert read(tmp_path / "out").sentences == [sentence]


def test_spans_are_sorted(tmp_path: Path) -> None:
    path = put(tmp_path, '{"id": 1, "text": "abc", "spans": [[1, 3, "X"], [0, 1, "Y"]]}')
    assert read(path).sentences[0].spans == (Span(0, 1, "Y"), Span(1, 3, "X"))


def test_the_entities_of_a_tagger_are_the_spans(tmp_path: Path) -> None:
    """Other entities than the spans are those of a tagger that was given an annotated file."""
    line = '{"text": "北京好", "spans": [[0, 2, "LOC"]], "entities": [%s]}'
    found = '{"text": "北京", "label": "%s", "start": 0, "end": 2, "confidence": 0.9}'
    for entities in (found % "LOC", '"others"', "[0, 1]"):
        path = put(tmp_path, line % entities)
        assert read(path, "jsonl").sentences == [Sentence("北京好", (Span(0, 2, "LOC"),))]
    for entities in (found % "ORG", ""):
        refused(tmp_path, "jsonl", line % entities, ":1: `spans` and `entities` differ, as where")


def test_a_line_with_labels_of_doccano_is_doccano_s(tmp_path: Path) -> None:
    found = {"start": 0, "end": 2, "label": "ORG"}
    path = put(tmp_path, json.dumps({"text": "北京", "label": [[0, 2, "X"]], "entities": [found]}))
    assert read(path).sentences == [Sentence("北京", (Span(0, 2, "X"),))]


@pytest.mark.parametrize("key", ["spans", "entities"])
def test_objects_for_spans(tmp_path: Path, key: str) -> None:
    """As Prodigy and many programs write them; most lines may have no entity."""
    span = {"start": 1, "end": 3, "label": "LOC", "token_start": 1}
    lines = [{"text": "好", key: []}] * 3 + [{"text": "😀北京", key: [span]}]
    path = put(tmp_path, "\n".join(map(json.dumps, lines)))
    assert read(path).sentences[-1] == Sentence("😀北京", (Span(1, 3, "LOC"),))


def test_examples_that_prodigy_did_not_accept_are_left_out_and_counted(tmp_path: Path) -> None:
    spans = [{"start": 0, "end": 2, "label": "LOC"}]
    lines: list[dict[str, object]] = [
        {"text": "北京好", "spans": spans, "answer": "accept"},
        {"text": "北京", "spans": spans, "answer": "reject"},
        {"text": "东京", "answer": "ignore"},
        {"text": "南京", "spans": spans},
    ]
    corpus = read(put(tmp_path, "\n".join(map(json.dumps, lines))), "jsonl")
    assert [sentence.text for sentence in corpus] == ["北京好", "南京"]
    assert (corpus.lines, corpus.repairs) == ([1, 4], {NOT_ACCEPTED: 2})


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        ("jsonl", '{"text": "a", "spans": []}\n{"text": \n', r":2: not JSON \(Expecting value\)"),
        ("jsonl", "[" * 100_000, ":1: not JSON"),
        ("jsonl", '{"text": "a", "spans": [[%s, 1, "X"]]}' % ("9" * 5000), ":1: not JSON"),
        ("jsonl", "[1]", ":1: not a sentence"),
        ("jsonl", '{"text": "a"}', r":1: not a sentence.*expected {\"text\""),
        ("jsonl", '{"text": 1, "spans": []}', ":1: not a sentence"),
        ("jsonl", '{"text": "a", "spans": [[0, 2, "X"]]}', r"found \[0, 2, 'X'\]; expected.*<= 1"),
        ("jsonl", '{"text": "a", "spans": [[1, 1, "X"]]}', ":1: not a span"),
        ("jsonl", '{"text": "a", "spans": [[0, 1]]}', ":1: not a span"),
        (None, '{"text": "a", "entities": [{"start": 0, "end": 2, "label": "X"}]}', "not a span"),
        (None, '{"text": "a", "spans": [{"start": 0, "end": 1}]}', "found {'start': 0, 'end': 1}"),
        ("jsonl", '{"text": "a", "spans": [[0, true, "X"]]}', ":1: not a span"),
        ("jsonl", '{"text": "a", "spans": [[0, 1, ""]]}', ":1: not a span"),
        ("jsonl", '{"text": "abc", "spans": [[1, 3, "X"], [0, 2, "Y"]]}', ":1: spans overlap; f"),
    ],
)  # fmt: skip
def test_files_that_are_not_what_they_should_be(
    tmp_path: Path, format: str | None, content: str, message: str
) -> None:
    refused(tmp_path, format, content, message)
