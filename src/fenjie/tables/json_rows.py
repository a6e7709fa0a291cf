"""Rows of JSONL: a text taken out, a value put in; the rest of the line stays as it is."""

from __future__ import annotations

import json
from typing import Any

from fenjie.errors import FenjieError, FileError
from fenjie.tables.findings import Value, json_text, place_of


def text_of(line: str, column: str, into: str, path: str, number: int) -> str | None:
    """The text of a row; None where it is null.

    Args:
        line: an object of JSON.
        column: the key of the text.
        into: the key that is added.
        path: the file, for messages.
        number: of the line, for messages.

    Raises:
        FileError: the line is no such row.
    """
    row = _parsed(line, path, number)
    if not isinstance(row, dict):
        raise FileError(path, "no row", line=number, found=line, expected="an object of JSON")
    try:
        place_of(column, list(row), into)
    except FenjieError as error:
        raise FileError(path, str(error), line=number) from error
    text = row[column]
    if text is None or isinstance(text, str):
        return text
    nested = " is nested" if isinstance(text, dict | list) else " is no text"
    message = f"column {column!r}{nested}"
    raise FileError(path, message, line=number, found=text, expected="a string or null")


def _parsed(line: str, path: str, number: int) -> Any:
    try:
        return json.loads(line, parse_int=_Number, parse_float=_Number)
    except RecursionError as error:
        raise FileError(path, "not JSON (nested too deep)", line=number) from error
    except json.JSONDecodeError as error:
        reason = f"{error.msg}, column {error.colno}"
        raise FileError(path, f"not JSON ({reason})", line=number, found=line) from error


class _Number:
    """A number as it is written: it is not counted with, and may have any number of digits."""

    __slots__ = ("_written",)

    def __init__(self, written: str) -> None:
        """Take what stands in the line."""
        self._written = written

    def __repr__(self) -> str:
        """What stands in the line."""
        return self._written


def with_value(line: str, into: str, value: Value) -> str:
    """A row with a value more, as its last."""
    begun = line.rstrip()[:-1].rstrip()
    return f"{begun}, {json.dumps(into, ensure_ascii=False)}: {json_text(value)}}}"
