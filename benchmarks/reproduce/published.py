"""Published tables: the recipes of their rows and the figures of the paper.

A table is a TOML file in `recipes/tables`, see `docs/howto/reproduce.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fenjie.errors import FenjieError
from fenjie.recipe.toml import Document, dotted

TABLES = Path("recipes/tables")
"""The folder of the tables, from the root of the repository."""


@dataclass(frozen=True)
class DataSet:
    """A data set of a table.

    Attributes:
        title: its name in the paper.
        seeds: number of seeds of its recipes: 1, 2, …
    """

    title: str
    seeds: int = 3

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            FenjieError: there are no seeds.
        """
        if self.seeds < 1:
            raise FenjieError(f"seeds must be at least 1; found {self.seeds}")


@dataclass(frozen=True)
class Row:
    """A row of a table: one system.

    Attributes:
        title: its name in the paper.
        recipes: the recipe for each data set, from the root of the repository.
        published: the F1 that the paper reports on each, in per cent.
        baseline: the key of the row with which it is compared, seed by seed.
        bert: whether the paper's figures are with BERT. Then only differences compare.
    """

    title: str
    recipes: Mapping[str, str]
    published: Mapping[str, float]
    baseline: str | None
    bert: bool


@dataclass(frozen=True)
class Table:
    """A published table.

    Attributes:
        name: of its file.
        title: the subject of the table.
        source: where it stands in the paper.
        paper: the paper's key in `references.bib`.
        data: the data sets by key, in order.
        rows: the rows by key, in order.
    """

    name: str
    title: str
    source: str
    paper: str
    data: Mapping[str, DataSet]
    rows: Mapping[str, Row]

    def choose(self, data: list[str], rows: list[str]) -> Table:
        """The table with these data sets and rows alone; all where none are named.

        Raises:
            FenjieError: one is not in the table.
        """
        return Table(
            self.name,
            self.title,
            self.source,
            self.paper,
            _chosen(self.data, data, f"data set of the table {self.name}"),
            _chosen(self.rows, rows, f"row of the table {self.name}"),
        )


def _chosen(known: Mapping[str, Any], names: list[str], kind: str) -> dict[str, Any]:
    for name in names:
        if name not in known:
            raise FenjieError(f"{name} is no {kind}; expected {' or '.join(known)}")
    return {key: value for key, value in known.items() if not names or key in names}


def table_names() -> list[str]:
    """The tables that there are."""
    return sorted(path.stem for path in TABLES.glob("*.toml"))


def find_table(name: str) -> Table:
    """Read a table by its name.

    Raises:
        FenjieError: there is none of this name here; or its file is not as it should be.
    """
    path = TABLES / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(table_names()) or "none here; run it at the root of the repository"
        raise FenjieError(f"no table {name}; tables are: {known}")
    return load_table(path)


def load_table(path: Path) -> Table:
    """Read a table.

    Raises:
        FileError: the file cannot be read, is not TOML, has an unknown key, lacks one, or holds
            a wrong value.
    """
    document = Document.read(path)
    values = document.values
    document.check_keys(values, ("title", "source", "paper", "data", "rows"))
    for key in ("title", "source", "paper", "data", "rows"):
        if key not in values:
            raise document.error((), f"the key {key} is missing")
    title, source, paper = (
        document.convert(str, values[key], (key,)) for key in ("title", "source", "paper")
    )
    data = {
        key: document.build(DataSet, table, ("data", key))
        for key, table in _tables(document, values, ("data",))
    }
    rows = {
        key: _row(document, table, ("rows", key), list(data))
        for key, table in _tables(document, values, ("rows",))
    }
    for key, row in rows.items():
        if row.baseline is not None and (row.baseline not in rows or row.baseline == key):
            others = " or ".join(other for other in rows if other != key)
            raise document.error(
                ("rows", key, "baseline"), "no other row", found=row.baseline, expected=others
            )
    return Table(path.stem, title, source, paper, data, rows)


def _row(
    document: Document, values: Mapping[str, Any], keys: tuple[str, ...], data: list[str]
) -> Row:
    document.check_keys(values, ("title", "recipes", "published", "baseline", "bert"), keys)
    for key in ("title", "recipes"):
        if key not in values:
            raise document.error(keys, f"the key {dotted((*keys, key))} is missing")

    def by_data(kind: type, name: str) -> dict[str, Any]:
        given, where = values.get(name, {}), (*keys, name)
        if not isinstance(given, dict):
            raise document.error(
                where, f"{dotted(where)} is no table", found=given, expected="{ DATA = … }"
            )
        document.check_keys(given, data, where)
        return {key: document.convert(kind, value, (*where, key)) for key, value in given.items()}

    return Row(
        title=document.convert(str, values["title"], (*keys, "title")),
        recipes=by_data(str, "recipes"),
        published=by_data(float, "published"),
        baseline=document.convert(str | None, values.get("baseline"), (*keys, "baseline")),
        bert=document.convert(bool, values.get("bert", False), (*keys, "bert")),
    )


def _tables(
    document: Document, values: Mapping[str, Any], keys: tuple[str, ...]
) -> list[tuple[str, dict[str, Any]]]:
    """The tables within a table, by name."""
    found = values[keys[0]]
    if not isinstance(found, dict) or not all(isinstance(v, dict) for v in found.values()):
        raise document.error(keys, f"[{dotted(keys)}] holds no tables [{dotted(keys)}.NAME]")
    if not found:
        raise document.error(keys, f"[{dotted(keys)}] is empty")
    return list(found.items())
