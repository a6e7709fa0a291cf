"""Rows of CSV and TSV as they stand in a file, quotes and line breaks inside of cells included."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from fenjie.errors import FenjieError, FileError
from fenjie.files import BYTE_ORDER_MARK, checked_encoding, decoded
from fenjie.tables.findings import Value, json_text, place_of

LONGEST = 1 << 28
"""Characters of a cell, at most; a quote that is never closed is found by them."""


class Row(NamedTuple):
    """A row of a file.

    Attributes:
        line: the number of its first line, from 1.
        raw: its characters, without its end.
        end: what ends it: LF, CRLF, CRCRLF, or nothing at the end of the file.
        cells: its values; none of an empty line.
        size: its bytes in the file.
        lines: number of its lines.
    """

    line: int
    raw: str
    end: str
    cells: list[str]
    size: int
    lines: int


class CsvReader:
    """Reads rows from a file."""

    def __init__(self, path: str, delimiter: str, encoding: str) -> None:
        """Choose how a file is read.

        Args:
            path: the file, for messages.
            delimiter: what stands between cells.
            encoding: of the file.

        Raises:
            FenjieError: there is no such encoding, or its line ends are not one byte (UTF-16).
        """
        self._path, self._delimiter = path, delimiter
        self._encoding = checked_encoding(encoding)

    def rows(self, file: BinaryIO, line: int = 1) -> Iterator[Row]:
        """The rows of a file from here on; a byte order mark is part of the first one's `raw`.

        Args:
            file: where it is read.
            line: the number of the line that is next.

        Raises:
            FileError: a row is ill-formed, or not text in this encoding.
        """
        csv.field_size_limit(LONGEST)
        raws: list[bytes] = []
        texts: list[str] = []

        def lines() -> Iterator[str]:
            for raw in file:
                text = decoded(raw, self._encoding, self._path, line + len(raws))
                raws.append(raw)
                texts.append(text)
                first = line == 1 and len(raws) == 1
                yield text.removeprefix(BYTE_ORDER_MARK) if first else text

        reader = csv.reader(lines(), delimiter=self._delimiter, strict=True)
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise self._ill_formed(error, line, texts) from error
            if cells is None:
                return
            text = "".join(texts)
            raw = text.rstrip("\r\n")
            row = Row(line, raw, text[len(raw) :], cells, sum(map(len, raws)), len(raws))
            raws.clear()
            texts.clear()
            line += row.lines
            yield row

    def _ill_formed(self, error: csv.Error, line: int, texts: list[str]) -> FileError:
        reason = str(error)
        if "unexpected end of data" in reason or "field limit" in reason:
            reason = "a quote is opened and not closed"
        elif "new-line character" in reason:
            reason = "a lone CR ends a line"
        return FileError(self._path, reason, line=line, found="".join(texts)[:99])

    def header(self, rows: Iterable[Row]) -> Row:
        """The names of the columns: the first row.

        Raises:
            FileError: there is none.
        """
        row = next(iter(rows), None)
        if row is None or not row.cells:
            raise FileError(self._path, "has no header", line=1, expected="names of columns")
        return row

    def place_of(self, column: str, header: Row, into: str) -> int:
        """The place of the column of texts.

        Raises:
            FileError: there is no such column, or the one that is added is there already.
        """
        try:
            return place_of(column, header.cells, into)
        except FenjieError as error:
            raise FileError(self._path, str(error), line=1) from error

    def text_of(self, row: Row, place: int, count: int) -> str | None:
        """The text of a row; None where its cell is empty, or it is an empty line.

        Args:
            row: the row.
            place: of the text.
            count: number of columns.

        Raises:
            FileError: the row has another number of cells.
        """
        if row.cells and len(row.cells) != count:
            found, expected = f"{len(row.cells)} cells", f"{count}, as in the header"
            raise FileError(self._path, "ill-formed", line=row.line, found=found, expected=expected)
        return (row.cells[place] or None) if row.cells else None


def cell_of(value: Value) -> str:
    """A value as a cell: JSON in quotes, or nothing for none."""
    return "" if value is None else _quoted(json_text(value))


def name_cell(name: str) -> str:
    """The name of a column as a cell."""
    return name if name.isidentifier() else _quoted(name)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
