"""Columns of Arrow."""

from __future__ import annotations

import pytest

pa = pytest.importorskip("pyarrow", reason="needs the extra `tables`")

from fenjie.errors import FenjieError  # noqa: E402
from fenjie.tables.arrow_columns import check_column, texts_of, with_values  # noqa: E402


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["商品", None]),
        pa.array(["商品", None], pa.large_string()),
        pa.array(["商品", None]).dictionary_encode(),
    ],
)
def test_texts_of_every_type(column) -> None:
    table = pa.table({"id": [1, 2], "text": column})
    check_column(table.schema, "text", "words")
    assert texts_of(table, "text") == ["商品", None]
    made = with_values(table, "words", [["商", "品"], None], "words")
    assert made.column("words").to_pylist() == [["商", "品"], None]
    assert made.column_names == ["id", "text", "words"]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([["a"]]), "column 'text' is nested; found list<.*string>; expected string"),
        (pa.array([{"a": "b"}]), "column 'text' is nested; found struct<"),
        (pa.array([b"a"]), "column 'text' is binary; found binary"),
        (pa.array([b"a"], pa.binary(1)), "column 'text' is binary"),
        (pa.array([1]), "column 'text' is no text; found int64"),
    ],
)
def test_other_columns_are_refused(column, message: str) -> None:
    table = pa.table({"text": column})
    with pytest.raises(FenjieError, match=message):
        check_column(table.schema, "text", "words")
    with pytest.raises(FenjieError, match="no column 'body'; found 'text'"):
        check_column(table.schema, "body", "words")


def test_text_that_is_not_utf8() -> None:
    column = pa.array([b"\xff"]).view(pa.string())
    with pytest.raises(FenjieError, match="holds text that is not UTF-8"):
        texts_of(pa.table({"text": column}), "text")
