"""Rows of JSONL."""

from __future__ import annotations

import json

import pytest

from fenjie.errors import FileError
from fenjie.tables.json_rows import text_of, with_value


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"text": "商品", "n": 1.50, "big": ' + "9" * 5000 + "}", "商品"),
        ('{"text": null}', None),
        ('  {"a": {"text": 1}, "text": ""} \t', ""),
        ('{"text": "\\ud83d\\"}"}', '\ud83d"}'),
    ],
)
def test_a_value_is_added_and_the_rest_stays(line: str, text: str | None) -> None:
    assert text_of(line, "text", "words", "a", 1) == text
    value = None if text is None else [text]
    made = with_value(line, "words", value)
    assert made.startswith(line.rstrip()[:-1])
    if len(line) < 1000:
        assert json.loads(made) == {**json.loads(line), "words": value}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "a:7: not JSON \\(Expecting property name .*, column 2\\); found '{'"),
        ("[" * 100_000, "a:7: not JSON \\(nested too deep\\)"),
        ("[1]", "a:7: no row; found '\\[1\\]'; expected an object of JSON"),
        ('{"id": 1}', "a:7: no column 'text'; found 'id'"),
        ('{"text": ["a"]}', "a:7: column 'text' is nested; found \\['a'\\]; expected a string or"),
        ('{"text": 5}', "a:7: column 'text' is no text; found 5; expected a string or null"),
        ('{"text": -1.50}', "a:7: column 'text' is no text; found -1.50; expected"),
        ('{"text": [2]}', "a:7: column 'text' is nested; found \\[2\\]; expected"),
        ('{"text": "a", "words": 1}', "a:7: has a column 'words' already"),
    ],
)
def test_bad_rows(line: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        text_of(line, "text", "words", "a", 7)
