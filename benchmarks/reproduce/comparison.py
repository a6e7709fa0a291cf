"""Measured beside published: means, standard deviations, differences and paired t-tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

from benchmarks.reproduce.published import Table
from benchmarks.reproduce.records import Records, spread, test_f1
from fenjie.errors import FenjieError
from fenjie.evaluation.significance import t_interval, t_test
from fenjie.recipe.recipe import load


@dataclass(frozen=True)
class Cell:
    """A row of a table on one data set; F1 in per cent.

    Attributes:
        title: the name of the system.
        published: the figure of the paper; None where it has none.
        bert: whether that is with BERT.
        scores: the F1 of each seed that was run.
        against: the name of the row that it is compared with; nothing where there is none.
        published_change: the paper's difference to that row.
        change: the mean of ours, over the seeds that both rows have.
        p: of a paired t-test over them, two-sided.
        interval: of that mean, 95 %, by the same test.
    """

    title: str
    published: float | None = None
    bert: bool = False
    scores: Mapping[int, float] = field(default_factory=dict)
    against: str = ""
    published_change: float | None = None
    change: float | None = None
    p: float | None = None
    interval: tuple[float, float] | None = None


def compare(table: Table, data: str, scores: Mapping[str, Mapping[int, float]]) -> list[Cell]:
    """The rows of a table on one data set.

    Args:
        table: the table.
        data: the key of the data set.
        scores: the F1 of each seed, by the key of the row.
    """
    cells = []
    for key, row in table.rows.items():
        if data not in row.recipes and data not in row.published:
            continue
        mine, paper = scores.get(key, {}), row.published.get(data)
        against, published_change, change, p, interval = "", None, None, None, None
        if row.baseline is not None and row.baseline in table.rows:
            base, others = table.rows[row.baseline], scores.get(row.baseline, {})
            against = base.title
            if paper is not None and data in base.published and base.bert == row.bert:
                published_change = paper - base.published[data]
            differences = [mine[seed] - others[seed] for seed in sorted(mine) if seed in others]
            change = mean(differences) if differences else None
            p, interval = t_test(differences), t_interval(differences)
        cells.append(
            Cell(row.title, paper, row.bert, mine, against, published_change, change, p, interval)
        )
    return cells


def measured(table: Table, data: str, records: Records) -> tuple[list[Cell], list[str]]:
    """The rows of a table on one data set from the records, and notes on them.

    A recipe that is not there yet has no scores; runs of another form of a recipe do not count.
    """
    scores, notes = {}, []
    for key, row in table.rows.items():
        name = row.recipes.get(data)
        if name is None or not Path(name).exists():
            continue
        try:
            recipe = load(Path(name))
        except FenjieError as error:
            notes.append(str(error))
            continue
        if (changed := records.changed(name, recipe)) is not None:
            notes.append(f"{name} has changed since its runs, which do not count: {changed}")
        scores[key] = {int(run["seed"]): test_f1(run) for run in records.runs(name, recipe)}
    return compare(table, data, scores), notes


HEADS = ("published", "measured", "seeds", "against", "Δ published", "Δ measured", "p")


def lines(cells: list[Cell]) -> list[list[str]]:
    """The cells as text: the title, then a value for each of `HEADS`."""
    known = [cell.published for cell in cells if cell.published is not None]
    digits = 2 if any(round(value, 1) != value for value in known) else 1
    return [
        [
            cell.title,
            _published(cell, digits),
            spread(list(cell.scores.values())) if cell.scores else "–",
            str(len(cell.scores)) if cell.scores else "",
            cell.against,
            _signed(cell.published_change, digits),
            _signed(cell.change, 2),
            "" if cell.p is None else f"{cell.p:.3f}" if cell.p >= 0.0005 else "< 0.001",
        ]
        for cell in cells
    ]


def markdown(table: Table, records: Records) -> str:
    """The whole table in Markdown, without a heading."""
    blocks = [f"{table.title} (`{table.paper}`, {table.source})."]
    for key, data in table.data.items():
        cells, notes = measured(table, key, records)
        rows = [
            f"| {data.title} | {' | '.join(HEADS)} |",
            f"|---|{'---|' * len(HEADS)}",
            *(f"| {' | '.join(line)} |".replace("  ", " ") for line in lines(cells)),
        ]
        blocks += ["\n".join(rows), *notes]
    return "\n\n".join(blocks) + "\n"


def _published(cell: Cell, digits: int) -> str:
    mark = "‡" if cell.bert else ""
    return "–" if cell.published is None else f"{cell.published:.{digits}f}{mark}"


def _signed(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:+.{digits}f}".replace("-", "−")
