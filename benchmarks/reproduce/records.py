"""Records of finished runs: one JSON file, by recipe and seed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from filelock import FileLock

from benchmarks import machine
from benchmarks.reproduce.sentences import counted, packed
from fenjie.errors import FenjieError, FileError
from fenjie.files import atomic
from fenjie.recipe.recipe import Recipe, difference, load, loads
from fenjie.runtime.model_files import CONFIG
from fenjie.store.provenance import now

RECORDS = Path("benchmarks/results/training.json")
"""The records, from the root of the repository."""

SCORES, STARTS = "scores.json", "starts.jsonl"

Run = dict[str, Any]
"""A finished run: seed, commit, epoch and step of the best model, scores on dev and test, counts of
each test sentence."""


class Records:
    """The finished runs of each recipe.

    A recipe is known by the path of its file, and its text is kept beside its runs: those of
    another recipe, which the file held earlier, do not count, and give way to the first new one.
    """

    def __init__(self, path: Path = RECORDS) -> None:
        """Read the records; there are none where there is no file.

        Raises:
            FileError: the file holds something else.
        """
        self.path = path
        self._added: list[tuple[str, str, Run]] = []
        self._read()

    def _read(self) -> None:
        self._recipes: dict[str, str] = {}
        self._runs: dict[str, list[Run]] = {}
        if self.path.exists():
            try:
                values = json.loads(self.path.read_text(encoding="utf-8"))
                self._recipes, self._runs = values["recipes"], values["runs"]
            except (ValueError, KeyError, TypeError) as error:
                raise FileError(
                    self.path, "holds no records of runs", expected="JSON with recipes and runs"
                ) from error

    def __iter__(self) -> Any:
        """The names of the recipes, sorted."""
        return iter(sorted(self._runs))

    def recipe(self, name: str) -> Recipe:
        """The recipe of the runs under this name, as it was then.

        Raises:
            FenjieError: it can no longer be read.
        """
        return loads(self._recipes[name], name)

    def runs(self, name: str, recipe: Recipe | None = None) -> list[Run]:
        """The runs under the name of a recipe, by seed.

        Args:
            name: the path of the recipe's file.
            recipe: only if they are runs of this recipe, whatever its seed.
        """
        if recipe is not None and self.changed(name, recipe) is not None:
            return []
        return self._runs.get(name, [])

    def changed(self, name: str, recipe: Recipe) -> str | None:
        """The first setting in which the recorded runs of a name differ from a recipe, or None."""
        if name not in self._runs:
            return None
        try:
            return other_recipe(self.recipe(name), recipe)
        except FenjieError as error:
            return f"it can no longer be read: {error}"

    def add(self, name: str, text: str, run: Run) -> None:
        """Add a run, in place of one of the same seed.

        Args:
            name: the path of the recipe's file.
            text: the text of that file, and of its base where it has one.
            run: the run; those of another recipe of this name are dropped.
        """
        self._added.append((name, text, run))
        self._put(name, text, run)

    def _put(self, name: str, text: str, run: Run) -> None:
        kept = self.runs(name, loads(text, name))
        others = [other for other in kept if other["seed"] != run["seed"]]
        self._runs[name] = sorted([*others, run], key=lambda other: int(other["seed"]))
        self._recipes[name] = text

    def save(self) -> None:
        """Write the file: what it holds by now, with the runs that were added here."""
        with FileLock(self.path.with_suffix(".lock")):
            self._read()
            for added in self._added:
                self._put(*added)
            values = {
                "machine": machine.describe(),
                "command": "python -m benchmarks.reproduce TABLE, or benchmarks.training runs/*/",
                "recipes": dict(sorted(self._recipes.items())),
                "runs": dict(sorted(self._runs.items())),
            }
            with atomic(self.path) as file:
                text = json.dumps(values, ensure_ascii=False, indent=2)
                file.write_text(text + "\n", encoding="utf-8")


def other_recipe(one: Recipe, other: Recipe) -> str | None:
    """The first setting but the seed in which two recipes differ; None if there is none."""
    return difference(_unseeded(one), _unseeded(other))


def _unseeded(recipe: Recipe) -> Recipe:
    return replace(recipe, training=replace(recipe.training, seed=0))


def collect(folder: Path) -> Run:
    """The record of a finished run.

    With its model still there, what each sentence of the first test file adds to the score is
    counted too.

    Args:
        folder: the run's folder.

    Raises:
        FenjieError: the run is not finished, or its model has another score than it.
    """
    try:
        run: Run = json.loads((folder / SCORES).read_text(encoding="utf-8"))
        card = (folder / "model" / "README.md").read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise FileError(folder, "holds no finished run") from error
    run["training"] = re.findall(r"^- ((?:seed|machine|versions)\b.*(?:\n  .*)*)", card, re.M)
    starts = folder / STARTS
    if starts.exists():
        run["starts"] = [json.loads(line) for line in starts.read_text("utf-8").splitlines()]
    if run["test"] and (folder / "model" / CONFIG).exists():
        recipe = load(folder / "recipe.toml")
        run["sentences"] = packed(counted(folder / "model", recipe, test_f1(run) / 100))
    return run


def note_start(folder: Path) -> None:
    """Note in a run's folder when it was started, or taken up again, and on which commit."""
    start = {"date": now(), "commit": machine.commit(machine.ROOT)}
    with open(folder / STARTS, "a", encoding="utf-8") as file:
        file.write(json.dumps(start) + "\n")


def test_f1(run: Mapping[str, Any]) -> float:
    """The F1 of a run on its first test file, in per cent; not a number where it has none."""
    return 100 * float(next(iter(run["test"].values()), {"f1": nan})["f1"])


def spread(values: list[float]) -> str:
    """The mean, and the standard deviation where there are several values; a dash for no number."""
    if any(map(isnan, values)):
        return "–"
    deviation = f" ± {stdev(values):.2f}" if len(values) > 1 else ""
    return f"{mean(values):.2f}{deviation}"
