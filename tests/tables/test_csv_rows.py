"""Rows of CSV as they stand in a file."""

from __future__ import annotations

import csv
import io

import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.tables import csv_rows
from fenjie.tables.csv_rows import CsvReader, Row, cell_of, name_cell

READER = CsvReader("a.csv", ",", "utf-8")


def rows(content: str) -> list[Row]:
    return list(READER.rows(io.BytesIO(content.encode())))


def test_rows_keep_their_characters() -> None:
    content = '\ufeff"id",text\r\n1,"商\n品, ""和"" "\r\n\r\n 2 ,5" \n3,\n"4",x'
    found = rows(content)
    assert "".join(row.raw + row.end for row in found) == content
    assert sum(row.size for row in found) == len(content.encode())
    assert [row.cells for row in found] == [
        ["id", "text"], ["1", '商\n品, "和" '], [], [" 2 ", '5" '], ["3", ""], ["4", "x"],
    ]  # fmt: skip
    assert [row.line for row in found] == [1, 2, 4, 5, 6, 7]
    assert found[-1].end == ""
    texts = [READER.text_of(row, 1, 2) for row in found[1:]]
    assert texts == ['商\n品, "和" ', None, '5" ', None, "x"]


def test_encodings_are_those_of_text() -> None:
    (row,) = CsvReader("a.csv", ",", "utf-8-sig").rows(io.BytesIO("\ufeffa,b\n".encode()))
    assert (row.raw, row.cells) == ("\ufeffa,b", ["a", "b"])
    for encoding, message in (("klingon", "unknown encoding 'klingon'"), ("utf-16", "to utf-8")):
        with pytest.raises(FenjieError, match=message):
            CsvReader("a.csv", ",", encoding)


def test_line_ends_that_were_made_twice_are_no_part_of_a_row() -> None:
    found = rows("a,b\r\r\n1,2\r\r\n\r\r\n3,4\r")
    assert [(row.raw, row.end) for row in found] == [
        ("a,b", "\r\r\n"), ("1,2", "\r\r\n"), ("", "\r\r\n"), ("3,4", "\r"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('a,b\n1,"2\n3\n', "a.csv:2: a quote is opened and not closed; found"),
        ('a,b\n1,"' + "2\n" * 200, "a.csv:2: a quote is opened and not closed; found"),
        ('a,b\n1,"2"3\n', "a.csv:2: ',' expected after '\"'"),
        ("a,b\r1,2\r", "a.csv:1: a lone CR ends a line"),
        ("a,b\n1,2\n1\n", "a.csv:3: ill-formed; found '1 cells'; expected 2, as in the header"),
        ("", "a.csv:1: has no header"),
        ("\na,b\n", "a.csv:1: has no header"),
        ("a,c\n", "a.csv:1: no column 'b'; found 'a', 'c'; another is named by --column"),
        ("a,b,words\n", "a.csv:1: has a column 'words' already"),
    ],
)
def test_bad_files(content: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_rows, "LONGEST", 100)
    before = csv.field_size_limit()
    with pytest.raises(FileError, match=message):
        found = READER.rows(io.BytesIO(content.encode()))
        header = READER.header(found)
        place = READER.place_of("b", header, "words")
        for row in found:
            READER.text_of(row, place, len(header.cells))
    csv.field_size_limit(before)


def test_bad_encodings_are_named_by_line() -> None:
    with pytest.raises(FileError, match=r"a\.csv:3: not utf-8 text"):
        list(READER.rows(io.BytesIO(b'a,b\n1,"\n\xff"\n')))


def test_cells() -> None:
    assert cell_of(None) == ""
    assert cell_of(["商品", '"']) == '"[""商品"", ""\\""""]"'
    assert next(csv.reader([cell_of(["商品", '"'])])) == ['["商品", "\\""]']
    assert (name_cell("words"), name_cell("my words")) == ("words", '"my words"')
