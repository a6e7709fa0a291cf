"""Files of CSV and TSV: each row with what is found in its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from fenjie.errors import FileError
from fenjie.files import open_bytes
from fenjie.runtime.annotator import Annotator
from fenjie.scale.blocks import SIZE, Place, Reached, read_so_far, size_of
from fenjie.scale.conversion import TextConversion
from fenjie.scale.packing import Packing
from fenjie.tables.csv_rows import CsvReader, Row, cell_of, name_cell
from fenjie.tables.findings import findings


class Rows(NamedTuple):
    """Some rows of a file.

    Attributes:
        path: the file.
        rows: the rows.
        texts: the text of each; None for an empty cell or line.
    """

    path: str
    rows: list[Row]
    texts: list[str | None]


@dataclass(frozen=True)
class CsvFiles:
    """Files with the same header, read as one table.

    Attributes:
        files: paths, or `STANDARD`.
        column: of texts.
        into: the column that is added.
        delimiter: what stands between cells.
        encoding: of the files.
    """

    files: Sequence[str]
    column: str
    into: str
    delimiter: str = ","
    encoding: str = "utf-8"

    def read(self, start: Sequence[int] | None = None) -> Iterator[tuple[Rows, Reached]]:
        """Rows of about `SIZE` bytes at a time, and how far they reach.

        A last row without an end gets one where another file follows.

        Args:
            start: the place to begin at.

        Raises:
            FileError: a file cannot be read, or holds something else.
        """
        place = Place(*(start or ()))
        names = self._names() if place.file else None
        before = sum(size_of(path) for path in self.files[: place.file])
        for number in range(place.file, len(self.files)):
            path = self.files[number]
            with open_bytes(path) as file:
                table = _Table(self, path, number, file, names)
                names = table.header.cells
                for rows, after in table.read(place):
                    size = after.offset - place.offset
                    place = after
                    yield rows, Reached(place, before + read_so_far(file), size)
            before += size_of(path)
            place = Place(number + 1)

    def _names(self) -> list[str]:
        """The header of the first file."""
        with open_bytes(self.files[0]) as file:
            return _Table(self, self.files[0], 0, file, None).header.cells


class _Table:
    """One of the files, opened, after its header."""

    def __init__(
        self, files: CsvFiles, path: str, number: int, file: BinaryIO, names: list[str] | None
    ) -> None:
        """Read the header.

        Args:
            files: all files.
            path: this one.
            number: of this one, from 0.
            file: this one, opened.
            names: the header of the first one; None where this is the first.
        """
        self._path, self._number, self._file = path, number, file
        self._last = number + 1 == len(files.files)
        self._reader = CsvReader(path, files.delimiter, files.encoding)
        self._rows = self._reader.rows(file)
        self.header = header = self._reader.header(self._rows)
        if names is not None and header.cells != names:
            expected = f"{names}, as in {files.files[0]}"
            raise FileError(path, "another header", line=1, found=header.cells, expected=expected)
        self._at = self._reader.place_of(files.column, header, files.into)

    def read(self, place: Place) -> Iterator[tuple[Rows, Place]]:
        """Rows from a place on, in pieces that depend on where they begin alone."""
        header, rows = self.header, self._rows
        if place.offset:
            self._file.seek(place.offset)
            rows = self._reader.rows(self._file, place.line)
        piece = _Piece(self._path, place)
        if not place.offset:
            piece.add(self._ended(header), None, shown=self._number == 0)
        for row in rows:
            text = self._reader.text_of(row, self._at, len(header.cells))
            piece.add(self._ended(row), text)
            if piece.size >= SIZE:
                yield piece.rows, piece.place
                piece = _Piece(self._path, piece.place)
        if piece.size:
            yield piece.rows, piece.place

    def _ended(self, row: Row) -> Row:
        """A row, with an end where another file follows."""
        return row if row.end or self._last else row._replace(end=self.header.end or "\n")


class _Piece:
    """Rows that are gathered."""

    def __init__(self, path: str, place: Place) -> None:
        self.rows, self.place, self.size = Rows(path, [], []), place, 0

    def add(self, row: Row, text: str | None, shown: bool = True) -> None:
        """Add a row; the header of a file that is not the first is counted and not shown."""
        file, offset, line = self.place
        self.place = Place(file, offset + row.size, line + row.lines)
        self.size += row.size
        if shown:
            self.rows.rows.append(row)
            self.rows.texts.append(text)


@dataclass(frozen=True)
class CsvTable(TextConversion[Rows]):
    """Adds a cell to each row, which stays as it is otherwise. Empty lines stay empty.

    Attributes:
        annotator: finds words or entities.
        into: the column that is added.
        delimiter: what stands between cells.
        packing: of the output.
        shown: whether characters that a terminal obeys are shown.
    """

    annotator: Annotator[Any]
    into: str
    delimiter: str = ","
    packing: Packing = ""
    shown: bool = False

    def texts(self, item: Rows) -> Iterator[str]:
        """The rows as they are written."""
        values = findings(self.annotator, item.texts)
        for row, value in zip(item.rows, values, strict=True):
            if not row.cells:
                yield row.raw + row.end
                continue
            cell = cell_of(value) if row.line > 1 else name_cell(self.into)
            yield f"{row.raw}{self.delimiter}{cell}{row.end}"

    def parts(self, item: Rows) -> Iterator[tuple[str, Rows]]:
        """Each row alone."""
        for row, text in zip(item.rows, item.texts, strict=True):
            yield f"{item.path}:{row.line}", Rows(item.path, [row], [text])
