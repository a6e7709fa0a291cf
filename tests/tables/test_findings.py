"""Values for the texts of a column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fenjie.errors import FenjieError
from fenjie.runtime.load import load_entity_tagger, load_segmenter
from fenjie.tables.findings import findings, json_text, name_of, place_of

TEXTS = [None, "商品和服务", "", None, "今天天气"]


def test_words(tiny_model: Path) -> None:
    segment = load_segmenter(tiny_model)
    assert name_of(segment) == "words"
    found = findings(segment, TEXTS)
    assert found == [None, segment(TEXTS[1]).words, [], None, segment(TEXTS[4]).words]


def test_entities(tiny_ner: Path) -> None:
    tagger = load_entity_tagger(tiny_ner)
    assert name_of(tagger) == "entities"
    found = findings(tagger, TEXTS)
    assert found[0] is None and found[2] == []
    assert [[e["text"], e["start"], e["end"]] for e in found[1] or []] == [
        [e.text, e.start, e.end] for e in tagger("商品和服务").entities
    ]


def test_json_of_any_text() -> None:
    assert json_text(["商品", "\ud83d", '"']) == json.dumps(["商品", "\ud83d", '"'])
    assert json_text(["商品"]) == '["商品"]'
    assert json_text(None) == "null"


def test_the_place_of_a_column() -> None:
    assert place_of("b", ["a", "b"], "words") == 1
    for column, into, message in (
        ("c", "words", "no column 'c'; found 'a', 'b', 'b'; another is named by --column"),
        ("b", "words", "2 columns 'b'"),
        ("a", "b", "has a column 'b' already; another name is given by --into"),
    ):
        with pytest.raises(FenjieError, match=message):
            place_of(column, ["a", "b", "b"], into)
