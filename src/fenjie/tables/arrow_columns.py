"""Columns of Arrow: texts taken out of them, and values as a column of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fenjie.errors import FenjieError, needing
from fenjie.tables.findings import ENTITIES, WORDS, Value, place_of

with needing("tables of Arrow and Parquet need", "tables"):
    import pyarrow as pa

ENTITY = pa.struct(
    [
        ("text", pa.string()),
        ("label", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("confidence", pa.float64()),
    ]
)

TYPES = {WORDS: pa.list_(pa.string()), ENTITIES: pa.list_(ENTITY)}
"""The type of a column, by what is found."""


def check_column(schema: Any, column: str, into: str) -> None:
    """See to it that a table has a column of texts, and none of the name that is added.

    Args:
        schema: of the table.
        column: of texts.
        into: that is added.

    Raises:
        FenjieError: it is not so.
    """
    kind = schema.field(place_of(column, schema.names, into)).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not _is_text(kind):
        nested, binary = pa.types.is_nested(kind), _is_binary(kind)
        reason = "is nested" if nested else "is binary" if binary else "is no text"
        raise FenjieError(f"column {column!r} {reason}; found {kind}; expected string")


def _is_text(kind: Any) -> bool:
    types = pa.types
    tests = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    return any(test(kind) for test in tests)


def _is_binary(kind: Any) -> bool:
    types = pa.types
    tests = (types.is_binary, types.is_large_binary, types.is_binary_view)
    return any(test(kind) for test in tests) or types.is_fixed_size_binary(kind)


def texts_of(batch: Any, column: str) -> list[str | None]:
    """The texts of a record batch or table.

    Raises:
        FenjieError: one is not UTF-8.
    """
    try:
        texts: list[str | None] = batch.column(column).to_pylist()
    except UnicodeDecodeError as error:
        raise FenjieError(f"column {column!r} holds text that is not UTF-8") from error
    return texts


def with_values(batch: Any, into: str, values: Sequence[Value], what: str) -> Any:
    """A record batch or table with a column more.

    Args:
        batch: the record batch or table.
        into: the name of the column.
        values: of the column.
        what: `words` or `entities`.
    """
    return batch.append_column(pa.field(into, TYPES[what]), pa.array(values, TYPES[what]))
