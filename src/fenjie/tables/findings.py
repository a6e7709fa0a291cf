"""What a tagger finds in the texts of a column, as values of another column."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from fenjie.errors import FenjieError
from fenjie.runtime.annotator import Annotator
from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.text.span import Sentence

WORDS, ENTITIES = "words", "entities"
"""The columns that are added, where no other name is given."""

DIGITS = 4
"""Decimals of a confidence."""

Value = list[Any] | None
"""The words of a text, or its entities as dictionaries; None where there is no text."""


def name_of(annotator: Annotator[Any]) -> str:
    """The name of the column that a tagger fills: `words` or `entities`."""
    return ENTITIES if isinstance(annotator, EntityTagger) else WORDS


def findings(annotator: Annotator[Any], texts: Sequence[str | None]) -> list[Value]:
    """The value for each text.

    Args:
        annotator: finds words or entities.
        texts: the texts; None for none.
    """
    found = annotator.stream(text for text in texts if text is not None)
    value = _entities if name_of(annotator) == ENTITIES else _words
    return [None if text is None else value(next(found)) for text in texts]


def _words(sentence: Sentence) -> list[Any]:
    return sentence.words


def _entities(sentence: Sentence) -> list[Any]:
    return [
        {**entity._asdict(), "confidence": round(entity.confidence or 0.0, DIGITS)}
        for entity in sentence.entities
    ]


def json_text(value: Any) -> str:
    """A value as JSON; escaped where it is not text that UTF-8 can hold."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, from an escape in JSON
        return json.dumps(value)
    return text


def place_of(column: str, names: Sequence[str], into: str) -> int:
    """The place of the column of texts in a table.

    Args:
        column: its name.
        names: of all columns.
        into: the name of the column that is added.

    Raises:
        FenjieError: there is no such column or more than one; the other one is there already.
    """
    if (count := names.count(column)) != 1:
        reason = f"{count} columns {column!r}" if count else f"no column {column!r}"
        raise FenjieError(f"{reason}; found {_listed(names)}; another is named by --column")
    if into in names:
        raise FenjieError(f"has a column {into!r} already; another name is given by --into")
    return names.index(column)


def _listed(names: Iterable[str]) -> str:
    text = ", ".join(map(repr, names)) or "none"
    return text if len(text) <= 200 else text[:199] + "…"
