"""Tables in, tables out: what `fenjie segment` and `fenjie tag` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fenjie.cli.streams import Job, Plan, carry_out
from fenjie.errors import FenjieError, FileError
from fenjie.scale.blocks import STANDARD, arriving, blocks, equal
from fenjie.scale.packing import packing_of
from fenjie.tables.names import KINDS, PACKINGS, kind_of

if TYPE_CHECKING:
    from pathlib import Path

    from fenjie.runtime.annotator import Annotator

COLUMN = "text"
"""The column of texts, where none is named."""

NO_TEXT = (".parquet", ".bz2", ".zip", ".zst", ".7z")
"""Ends of names of files that are neither text nor packed as fenjie packs it."""

DELIMITERS = {"csv": ",", "tsv": "\t"}


def table_kind(job: Job, form: str | None) -> str | None:
    """The kind of the tables that are read; None where it is text.

    Standard input is a table of JSONL where a column is named.

    Args:
        job: what is read and written.
        form: the format that is asked for.

    Raises:
        FenjieError: files differ in kind, or what is asked for does not go with tables.
    """
    kinds = [_kind(path, job.column) for path in job.files]
    if set(kinds) == {None}:
        if job.column is not None or job.into is not None:
            ends = ", ".join(KINDS)
            raise FileError(job.files[0], "no table", expected=f"a name that ends in one of {ends}")
        _check_text(job.to, form)
        return None
    first, kind = job.files[0], kinds[0]
    for path, other in zip(job.files, kinds, strict=True):
        if other != kind:
            raise FenjieError(f"{path}: files of one kind go together; {first} is of another")
    assert kind is not None  # all are of one kind, and not all are text
    if form is not None:
        raise FenjieError(f"--format {form} is for text; {job.files[0]} is a table")
    to = job.to
    if to is not None and (to.is_file() or not to.exists()) and kind_of(to) != kind:
        expected = f"a name that ends in .{kind}, as the input does"
        raise FileError(to, "is of another kind", expected=expected)
    if kind == "parquet":
        _check_parquet(job)
    return kind


def _kind(path: str, column: str | None) -> str | None:
    if path == STANDARD:
        return None if column is None else "jsonl"
    return kind_of(path)


def _check_text(to: Path | None, form: str | None) -> None:
    """Refuse to write text under a name that says something else.

    Raises:
        FileError: the name does.
    """
    if to is None:
        return
    if to.suffix.lower() in NO_TEXT:
        expected = "a name that says so, such as one in .txt, .txt.gz or .txt.xz"
        raise FileError(to, "text is written plain or packed as gzip or xz", expected=expected)
    if kind_of(to) in DELIMITERS and form not in COLUMNS:
        expected = "a table to read, or a name in .txt or .jsonl"
        raise FileError(to, "text does not come back as a table", expected=expected)


COLUMNS = ("bmes", "bio")
"""Formats that have columns, which a table has too."""


def _check_parquet(job: Job) -> None:
    if job.to is None:
        raise FenjieError("Parquet is not written to standard output; expected --output")
    for path in (str(job.to), *job.files):
        if path.endswith(PACKINGS):
            raise FileError(path, "Parquet is packed by itself", expected="a name without it")


def convert_table(job: Job, kind: str, annotator: Annotator[Any]) -> None:
    """Write each row with a column more: the words, or the entities, of its text.

    Args:
        job: what is read and written.
        kind: see `table_kind`.
        annotator: finds words or entities.

    Raises:
        FenjieError: a file cannot be read or written, or has no such column.
    """
    from fenjie.tables.findings import name_of

    column = COLUMN if job.column is None else job.column
    into = job.into or name_of(annotator)
    plan = _json if kind == "jsonl" else _parquet if kind == "parquet" else _csv
    options = {"--format": kind, "--column": column, "--into": into}
    carry_out(job, plan(job, kind, annotator, column, into)._replace(options=options))


def _json(job: Job, _: str, annotator: Annotator[Any], column: str, into: str) -> Plan:
    from fenjie.scale.json_table import JsonTable

    cut = arriving if job.to is None else equal
    packing, shown = packing_of(job.to), job.in_terminal
    table = JsonTable(annotator, column, into, job.encoding, packing, shown)
    return Plan(lambda place: blocks(job.files, cut, place), table)


def _csv(job: Job, kind: str, annotator: Annotator[Any], column: str, into: str) -> Plan:
    from fenjie.scale.csv_table import CsvFiles, CsvTable

    files = CsvFiles(job.files, column, into, DELIMITERS[kind], job.encoding)
    packing, shown = packing_of(job.to), job.in_terminal
    return Plan(files.read, CsvTable(annotator, into, DELIMITERS[kind], packing, shown))


def _parquet(job: Job, _: str, annotator: Annotator[Any], column: str, into: str) -> Plan:
    from fenjie.scale.parquet_table import ParquetFiles, ParquetTable, WriteParquet
    from fenjie.tables.findings import name_of

    files = ParquetFiles(job.files, column, into)
    write = WriteParquet(files, name_of(annotator))
    return Plan(files.read, ParquetTable(annotator, column, into), write)
