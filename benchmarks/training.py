"""Adds finished training runs to the records; a table of all recipes that have runs.

    python -m benchmarks.training runs/*/

Reads the `scores.json`, `recipe.toml` and model card of each run's folder and adds them to
`benchmarks/results/training.json`, as `benchmarks.reproduce` does with the runs of a table. Runs
whose recipes differ in nothing but the seed are one row. Without folders it prints the records.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

from benchmarks.reproduce.records import Records, Run, collect, spread, test_f1
from benchmarks.scripts import parser, run
from fenjie.errors import FenjieError
from fenjie.recipe.derived import self_contained
from fenjie.recipe.recipe import Recipe, dumps, load

RECIPES = Path("recipes")

OTHERS = {"distill", "papers", "parts", "pretraining", "search", "tables"}
"""Folders of recipes of another form, and of parts of recipes."""


def main() -> None:
    """Read the runs, print the table, save the records."""
    records = Records()
    options = parser(__doc__)
    options.add_argument("folders", nargs="*", type=Path, help="folders of finished runs")
    folders = options.parse_args().folders
    known = recipes() if folders else {}
    for folder in folders:
        path = known.get(unseeded(load(folder / "recipe.toml")))
        if path is None or not (folder / "scores.json").exists():
            print(f"{folder}: no finished run of a recipe in {RECIPES}", file=sys.stderr)
            continue
        records.add(path.as_posix(), self_contained(path).decode(), collect(folder))
    if folders:
        records.save()
    print(table_of(records), end="")


def table_of(records: Records) -> str:
    """The scores of every recipe, in Markdown."""
    lines = ["| recipe | seeds | dev | test | OOV / unseen recall |", "|---|---|---|---|---|"]
    for name in records:
        runs = records.runs(name)
        lines.append(f"| `{name}` | {len(runs)} | {' | '.join(cells(runs))} |")
    return "\n".join(lines) + "\n"


def cells(runs: Sequence[Run]) -> list[str]:
    """Dev F1, test F1 and recall of words or mentions that training lacks, in per cent."""
    return [
        spread([100 * run["dev"]["f1"] for run in runs]),
        spread([test_f1(run) for run in runs]),
        spread([100 * new_recall(run) for run in runs]),
    ]


def recipes() -> dict[str, Path]:
    """The paths of the recipes by their text, their seeds aside.

    Raises:
        FenjieError: two are the same, so that runs of one would count for the other alone.
    """
    found: dict[str, Path] = {}
    for path in sorted(RECIPES.rglob("*.toml")):
        if path.parent.name not in OTHERS:
            first = found.setdefault(unseeded(load(path)), path)
            if first != path:
                raise FenjieError(f"{path} is the same recipe as {first}")
    return found


def new_recall(run: Run) -> float:
    """The recall on test of words or mentions that training lacks; not a number where none is."""
    scores: dict[str, Any] = next(iter(run["test"].values()), {"oov_recall": None})
    found = scores["unseen"]["recall"] if "unseen" in scores else scores["oov_recall"]
    return nan if found is None else float(found)


def unseeded(recipe: Recipe) -> str:
    """A recipe as text, its seed aside."""
    return dumps(replace(recipe, training=replace(recipe.training, seed=0)))


if __name__ == "__main__":
    run(main)
