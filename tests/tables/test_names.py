"""The kind of a table, by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.tables.names import kind_of


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.jsonl", "jsonl"), ("a.b.NDJSON.gz", "jsonl"), ("a.csv.xz", "csv"), ("a.tsv", "tsv"),
        ("a.parquet", "parquet"), ("a.txt", None), ("a.gz", None), ("-", None), ("csv", None),
    ],
)  # fmt: skip
def test_the_name_tells_the_kind(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind_of(Path(name)) == kind
