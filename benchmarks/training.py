"""One table of finished training runs: mean and standard deviation over the seeds of each recipe.

    python -m benchmarks.training runs/*/

Reads the `scores.json`, `recipe.toml` and model card of each run's folder and adds them to
`benchmarks/results/training.json`, in place of an earlier run of the same recipe and seed. Runs
whose recipes differ in nothing but the seed are one row.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks.machine import RESULTS, save
from fenjie.training.recipe import Recipe, dumps, load

RECIPES = Path("recipes")

Rows = dict[str, list[dict[str, Any]]]
"""The runs of each recipe, by seed."""


def main() -> None:
    """Read the runs, print the table, save the scores."""
    known = {unseeded(load(path)): str(path) for path in sorted(RECIPES.rglob("*.toml"))}
    results = RESULTS / "training.json"
    rows: Rows = json.loads(results.read_text(encoding="utf-8"))["runs"] if results.exists() else {}
    for folder in map(Path, sys.argv[1:]):
        recipe = load(folder / "recipe.toml")
        name = known.get(unseeded(recipe))
        if name is None or not (folder / "scores.json").exists():
            print(f"{folder}: no finished run of a recipe in {RECIPES}", file=sys.stderr)
            continue
        scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
        card = (folder / "model" / "README.md").read_text(encoding="utf-8")
        scores["training"] = re.findall(
            r"^- ((?:seed|machine|versions)\b.*(?:\n  .*)*)", card, re.M
        )
        add(rows, name, scores)
    save("training", {"command": "python -m benchmarks.training runs/*/", "runs": rows})
    print("| recipe | seeds | dev F1 | test F1 | test recall of the new |\n|---|---|---|---|---|")
    for name, runs in sorted(rows.items()):
        tests = [next(iter(run["test"].values())) for run in runs]
        cells = [
            spread([100 * run["dev"]["f1"] for run in runs]),
            spread([100 * test["f1"] for test in tests]),
            spread([100 * new_recall(test) for test in tests]),
        ]
        print(f"| `{name}` | {len(runs)} | {' | '.join(cells)} |")


def new_recall(scores: dict[str, Any]) -> float:
    """The recall of words or mentions that the training data do not have."""
    found = scores["unseen"]["recall"] if "unseen" in scores else scores["oov_recall"]
    return float("nan") if found is None else float(found)


def add(rows: Rows, recipe: str, run: dict[str, Any]) -> None:
    """Add a run to those of its recipe, in place of one of the same seed."""
    others = [other for other in rows.get(recipe, []) if other["seed"] != run["seed"]]
    rows[recipe] = sorted([*others, run], key=lambda other: other["seed"])


def unseeded(recipe: Recipe) -> str:
    """A recipe as text, its seed aside."""
    return dumps(replace(recipe, training=replace(recipe.training, seed=0)))


def spread(values: list[float]) -> str:
    """The mean, and the standard deviation where there are several values."""
    deviation = f" ± {stdev(values):.2f}" if len(values) > 1 else ""
    return f"{mean(values):.2f}{deviation}"


if __name__ == "__main__":
    main()
