"""The kind of a table, by the name of its file."""

from __future__ import annotations

from pathlib import PurePath

KINDS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
"""The kinds of tables by the ends of names; `.gz` and `.xz` may follow all but Parquet."""

PACKINGS = (".gz", ".xz")


def kind_of(path: str | PurePath) -> str | None:
    """The kind of a table by its name: jsonl, csv, tsv or parquet; None for another file."""
    return KINDS.get(end_of(path))


def end_of(path: str | PurePath) -> str:
    """The end of a file's name in small letters, such as `.csv`; that of its packing aside."""
    name = PurePath(path)
    if name.suffix.lower() in PACKINGS:
        name = name.with_suffix("")
    return name.suffix.lower()
