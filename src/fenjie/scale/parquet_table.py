"""Files of Parquet: each row with what is found in its text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from fenjie.errors import FenjieError, FileError, needing
from fenjie.runtime.annotator import Annotator
from fenjie.scale.blocks import Place, Reached, size_of
from fenjie.scale.conversion import Conversion
from fenjie.tables.arrow_columns import check_column, texts_of, with_values
from fenjie.tables.findings import findings, name_of

with needing("files of Parquet need", "tables"):
    import pyarrow as pa
    import pyarrow.parquet as pq

ROWS = 1 << 10
"""Rows that are worked on at once."""

GROUP = 1 << 26
"""Bytes in memory of a row group that is written, about."""

LENGTH = 8
"""Bytes that give the length of a batch on the disk."""


class Batch(NamedTuple):
    """Rows of a file.

    Attributes:
        path: the file.
        row: the number of the first one, from 1.
        rows: a record batch of Arrow.
    """

    path: str
    row: int
    rows: Any


@dataclass(frozen=True)
class ParquetFiles:
    """Files with the same columns, read as one table.

    Attributes:
        files: paths.
        column: of texts.
        into: the column that is added.
    """

    files: Sequence[str]
    column: str
    into: str

    def read(self, start: Sequence[int] | None = None) -> Iterator[tuple[Batch, Reached]]:
        """`ROWS` rows at a time, and how far they reach; a place counts rows, not bytes.

        Args:
            start: the place to begin at.

        Raises:
            FileError: a file cannot be read, or its columns are others.
        """
        place = Place(*(start or ()))
        schema = None
        if place.file:
            with _opened(self.files[0]) as file:
                schema = file.schema_arrow
        before = sum(size_of(path) for path in self.files[: place.file])
        for number in range(place.file, len(self.files)):
            path = self.files[number]
            with _opened(path) as file:
                schema = self._checked(file.schema_arrow, path, schema)
                total = max(file.metadata.num_rows, 1)
                for batch in _batches(file, path, place.offset):
                    item = Batch(path, place.offset + 1, batch)
                    place = Place(number, place.offset + batch.num_rows)
                    read = before + size_of(path) * place.offset // total
                    yield item, Reached(place, read, batch.nbytes)
            before += size_of(path)
            place = Place(number + 1)

    def _checked(self, schema: Any, path: str, first: Any) -> Any:
        """The columns of a file.

        Raises:
            FileError: they are not those of the first one, or there is none of texts.
        """
        _check(schema, path, self.column, self.into)
        if first is not None and not schema.equals(first):
            raise FileError(path, f"has other columns than {self.files[0]}")
        return schema


def check_file(path: str, column: str, into: str) -> None:
    """See to it that a file is Parquet and has a column of texts; see `check_column`.

    Raises:
        FileError: it is not so.
    """
    with _opened(path) as file:
        _check(file.schema_arrow, path, column, into)


def _check(schema: Any, path: str, column: str, into: str) -> None:
    try:
        check_column(schema, column, into)
    except FenjieError as error:
        raise FileError(path, str(error)) from error


def _opened(path: str) -> Any:
    """A file of Parquet.

    Raises:
        FileError: it is none, or cannot be read.
    """
    try:
        return pq.ParquetFile(path)
    except pa.ArrowInvalid as error:
        raise FileError(path, f"is no file of Parquet: {error}") from error
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise FileError(path, f"cannot be read: {reason}") from error


def _batches(file: Any, path: str, skipped: int) -> Iterator[Any]:
    """Batches of `ROWS` rows, as if all had been read, after some that are skipped."""
    seen = 0
    try:
        for batch in file.iter_batches(ROWS):
            if seen >= skipped:
                yield batch
            seen += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise FileError(path, f"is damaged: {error}") from error


@dataclass(frozen=True)
class ParquetTable(Conversion[Batch]):
    """Adds a column to each batch. The output is a row of batches, see `WriteParquet`.

    Attributes:
        annotator: finds words or entities.
        column: of texts.
        into: the column that is added.
    """

    annotator: Annotator[Any]
    column: str
    into: str

    def pieces(self, item: Batch) -> Iterator[bytes]:
        """The batch with the new column, and its length before it."""
        try:
            texts = texts_of(item.rows, self.column)
        except FenjieError as error:
            raise FileError(item.path, f"from row {item.row} on: {error}") from error
        values = findings(self.annotator, texts)
        made = with_values(item.rows, self.into, values, name_of(self.annotator))
        sink = pa.BufferOutputStream()
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_stream(sink, made.schema, options=options) as writer:
            writer.write_batch(made)
        content = sink.getvalue().to_pybytes()
        yield len(content).to_bytes(LENGTH, "little") + content

    def parts(self, item: Batch) -> Iterator[tuple[str, Batch]]:
        """Each row alone."""
        for at in range(item.rows.num_rows):
            row = item.row + at
            yield f"{item.path}: row {row}", Batch(item.path, row, item.rows.slice(at, 1))


@dataclass(frozen=True)
class WriteParquet:
    """Makes a file of Parquet of what `ParquetTable` has written.

    Attributes:
        files: what was read.
        what: `words` or `entities`.
    """

    files: ParquetFiles
    what: str

    def __call__(self, written: Path, made: Path) -> None:
        """Write the second file from the first."""
        with _opened(self.files.files[0]) as file:
            nothing = file.schema_arrow.empty_table()
        schema = with_values(nothing, self.files.into, [], self.what).schema
        with open(written, "rb") as source, pq.ParquetWriter(made, schema) as writer:
            for group in _groups(source):
                writer.write_table(pa.Table.from_batches(group, schema))


def _groups(source: BinaryIO) -> Iterator[list[Any]]:
    """Batches of about `GROUP` bytes together."""
    group: list[Any] = []
    size = 0
    while length := int.from_bytes(source.read(LENGTH), "little"):
        batches = list(pa.ipc.open_stream(source.read(length)))
        group += batches
        size += sum(batch.nbytes for batch in batches)
        if size >= GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group
