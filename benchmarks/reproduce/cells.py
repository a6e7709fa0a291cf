"""Every cell of the papers' tables and figures: where ours stands, how to run it, or why not.

The lists are the TOML files of `recipes/papers`; the first lines of `flat.toml` say how they are
read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from benchmarks.reproduce.published import Table, find_table, table_names
from benchmarks.reproduce.records import Records, Run, spread, test_f1
from fenjie.errors import FenjieError
from fenjie.evaluation.significance import t_test
from fenjie.recipe.recipe import load
from fenjie.recipe.toml import Document

PAPERS, COMMON = Path("recipes/papers"), Path("recipes/papers/common.toml")

State = Literal["stands", "can be run", "cannot be had"]

STATES: tuple[State, ...] = ("stands", "can be run", "cannot be had")

SEEDS = 10
"""Number of seeds of section 5.6 of ATSSA."""


@dataclass(frozen=True)
class Cell:
    """A cell of a published table or figure.

    Attributes:
        paper: the title of the paper.
        table: the table's title.
        row: the row's title.
        column: the column's name.
        published: the figure, as the paper writes it.
        state: whether ours stands, can be run, or cannot be had.
        measured: ours, as far as there is one.
        how: the command that makes it; the reason where it cannot be had.
    """

    paper: str
    table: str
    row: str
    column: str
    published: str
    state: State
    measured: str = ""
    how: str = ""


class Cells:
    """The cells of all papers, with what the records of runs have of them."""

    def __init__(self, records: Records) -> None:
        """Read what the lists have in common, and the tables that can be run."""
        common = Document.read(COMMON)
        common.check_keys(common.values, ("reasons", "commands"))
        self.reasons: Mapping[str, str] = common.values["reasons"]
        self.commands: Mapping[str, str] = common.values["commands"]
        self.records = records
        self._rows = dict(_rows_of_recipes())
        self._results: dict[str, Any] = {}

    def __iter__(self) -> Iterator[Cell]:
        """All cells, paper by paper."""
        for path in sorted(PAPERS.glob("*.toml")):
            if path != COMMON:
                yield from self._paper(Document.read(path))

    def _paper(self, document: Document) -> Iterator[Cell]:
        document.check_keys(document.values, ("paper", "title", "tables"))
        for key, table in document.values["tables"].items():
            place = ("tables", key)
            document.check_keys(table, ("title", "columns", "rows"), place)
            for number, row in enumerate(table["rows"], 1):
                where = (*place, "rows", str(number))
                document.check_keys(row, ("title", "published", "ours", "bert"), where)
                columns, published = table["columns"], row["published"]
                ours = row["ours"]
                ours = [ours] * len(columns) if isinstance(ours, str) else ours
                if not len(columns) == len(published) == len(ours):
                    raise document.error(
                        where,
                        "a value for each column is needed",
                        found=f"{len(published)} published, {len(ours)} ours",
                        expected=str(len(columns)),
                    )
                for column, figure, source in zip(columns, published, ours, strict=True):
                    if not figure:
                        continue
                    if not source:
                        raise document.error(where, f"the cell {column} is silently missing")
                    mark = "‡" if row.get("bert") else ""
                    cell = Cell(document.values["title"], table["title"], row["title"], column,
                                f"{figure}{mark}", "can be run")  # fmt: skip
                    try:
                        yield self._with_ours(cell, source)
                    except FenjieError as error:
                        raise document.error(where, f"{column}: {error}") from error

    def _with_ours(self, cell: Cell, source: str) -> Cell:
        """The cell with what the list says of ours."""
        if source.startswith("fenjie "):
            return replace(cell, how=f"`{source}`")
        if " & " in source:  # a recipe that needs what cannot be had
            recipe, _, reason = source.partition(" & ")
            told = f"{self.reasons[reason]}: `fenjie train {recipe}`"
            return replace(cell, state="cannot be had", how=told)
        if source in self.reasons:
            return replace(cell, state="cannot be had", how=self.reasons[source])
        if " @ " in source:
            space, _, recipe = source.partition(" @ ")
            return _search(replace(cell, how=f"`fenjie search {recipe} {space}`"), space, recipe)
        if " > " in source:
            return self._significance(cell, *source.split(" > "))
        name, _, place = source.partition("#")
        if name.startswith("recipes/"):
            return self._recipe(cell, name, place)
        if name.startswith("benchmarks/results/"):
            return self._result(cell, name, place)
        if name.startswith("docs/"):
            return self._shown(cell, name)
        raise FenjieError(f"{source!r} is no recipe, result, page or reason")

    def _recipe(self, cell: Cell, name: str, place: str) -> Cell:
        """A cell of a recipe: its runs on record, else the command that trains it."""
        if not Path(name).exists():
            return replace(cell, state="cannot be had", how=f"not built: no {name}")
        runs = self.records.runs(name, load(Path(name)))
        command = self._command(name, [int(run["seed"]) for run in runs])
        if not runs:
            return replace(cell, how=command)
        values = [_score(run, place) for run in runs]
        text = spread(values) + (f" ({len(values)} seeds)" if len(values) > 1 else " (1 seed)")
        return replace(cell, state="stands", measured=text, how=command)

    def _command(self, name: str, seeds: Sequence[int]) -> str:
        """The command that runs a recipe: of a table that has it, or of itself.

        Args:
            name: the recipe's path.
            seeds: those of its runs on record, which it runs anew.
        """
        if name not in self._rows:
            return f"`fenjie train {name}`"
        table, row, data = self._rows[name]
        command = f"python -m benchmarks.reproduce {table.name} --only {row} --data {data}"
        if seeds and table.data[data].seeds != max(seeds):
            command += f" --seeds {max(seeds)}"
        return f"`{command} --again`" if seeds else f"`{command}`"

    def _significance(self, cell: Cell, name: str, base: str) -> Cell:
        """The t-test of two recipes over the seeds that both have."""
        one, other = (
            {run["seed"]: test_f1(run) for run in self.records.runs(path, load(Path(path)))}
            for path in (name, base)
        )
        table, row, data = self._rows[name]
        rows = f"--only {self._rows[base][1]} --only {row} --data {data}"
        command = f"python -m benchmarks.reproduce {table.name} {rows} --seeds {SEEDS}"
        both = sorted(one.keys() & other.keys())
        p = t_test([one[seed] - other[seed] for seed in both])
        if p is None:
            return replace(cell, how=f"`{command}`")
        state: State = "stands" if len(both) >= SEEDS else "can be run"
        how = f"`{command} --again`" if state == "stands" else f"`{command}`"
        return replace(cell, state=state, measured=f"p {p:.3f} ({len(both)} seeds)", how=how)

    def _result(self, cell: Cell, name: str, place: str) -> Cell:
        """A cell of a file of results, by the keys that lead to its value."""
        command = f"`{self.commands[name]}`" if name in self.commands else ""
        if name not in self._results:
            path = Path(name)
            found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
            self._results[name] = found
        value = self._results[name]
        for key in place.split("/"):
            value = value.get(key) if isinstance(value, dict) else None
        if value is None:
            if not command:
                raise FenjieError(f"{name} has no {place}, and no command makes it")
            return replace(cell, how=command)
        text = f"{value:,}" if isinstance(value, int) else str(value)
        return replace(cell, state="stands", measured=text, how=command)

    def _shown(self, cell: Cell, name: str) -> Cell:
        """A cell that a page or a picture of the docs answers."""
        command = f"`{self.commands[name]}`" if name in self.commands else ""
        if Path(name).exists():
            link = f"[{Path(name).name}]({Path(name).relative_to('docs').as_posix()})"
            return replace(cell, state="stands", measured=link, how=command)
        if not command:
            raise FenjieError(f"{name} is missing, and no command makes it")
        return replace(cell, how=command)


def _rows_of_recipes() -> Iterator[tuple[str, tuple[Table, str, str]]]:
    """Each recipe of a table with table, row and data set.

    Of several tables the first counts, of those with published figures if there are any.
    """
    seen: set[str] = set()
    tables = [find_table(name) for name in table_names()]
    for table in sorted(tables, key=lambda one: not any(r.published for r in one.rows.values())):
        for key, row in table.rows.items():
            for data, recipe in row.recipes.items():
                if recipe not in seen:
                    seen.add(recipe)
                    yield recipe, (table, key, data)


def _score(run: Run, place: str) -> float:
    """A score of a run: F1 on test, hours of training, or one by its place, in per cent."""
    if not place:
        return test_f1(run)
    if place == "hours":
        return hours(run)
    part, _, key = place.partition("/")
    values = run["dev"] if part == "dev" else next(iter(run["test"].values()))
    return 100 * float(values[key])


def _search(cell: Cell, space: str, recipe: str) -> Cell:
    """A cell of a search: what it printed, where that is kept."""
    path = Path(f"benchmarks/results/search-{Path(recipe).stem}-{Path(space).stem}.txt")
    if not path.exists():
        return cell
    _, best, *_, trials, _ = path.read_text(encoding="utf-8").splitlines()
    return replace(cell, state="stands", measured=f"best dev F1 {best.split()[1]}; {trials}")


def hours(run: Run) -> float:
    """The hours of training that a run's card names."""
    found = re.search(r"([\d.,]+) (minute|hour)s?\b", " ".join(run["training"]))
    if found is None:
        raise FenjieError("a run on record does not say how long it took")
    value = float(found[1].replace(",", ""))
    return value if found[2] == "hour" else value / 60


def counts(cells: Sequence[Cell]) -> str:
    """How many cells are in each state, in words."""
    found = Counter(cell.state for cell in cells)
    return ", ".join(f"{found[state]} {state}" for state in STATES).replace("stands", "stand")


def lines(cells: Sequence[Cell]) -> Iterator[str]:
    """The cells for a terminal, a line each below the title of their table."""
    table = ""
    for cell in cells:
        title = f"{cell.paper}, {cell.table}"
        if title != table:
            table = title
            yield f"\n{title}"
        beside = f"{cell.measured} beside {cell.published}" if cell.measured else cell.published
        how = cell.how.strip("`")
        yield f"  {cell.state:<14}{cell.row}, {cell.column}: {beside}" + (f"  {how}" if how else "")


def markdown(cells: Sequence[Cell]) -> str:
    """The page of the cells: for each table its cells, then the ways to those that do not stand."""
    blocks = []
    papers = dict.fromkeys(cell.paper for cell in cells)
    for paper in papers:
        of_paper = [cell for cell in cells if cell.paper == paper]
        blocks.append(f"## {paper}\n\n{len(of_paper)} cells: {counts(of_paper)}.")
        for table in dict.fromkeys(cell.table for cell in of_paper):
            some = [cell for cell in of_paper if cell.table == table]
            rows = [
                "| row | column | published | measured | state | by |",
                "|---|---|---|---|---|---|",
                *(f"| {c.row} | {c.column} | {c.published} | {c.measured} | {c.state} | {c.how} |"
                  for c in some),
            ]  # fmt: skip
            blocks.append("\n".join([f"### {table}", "", *rows]).replace("|  |", "| |"))
    return "\n\n".join(blocks) + "\n"
