"""The search for the settings of a recipe: trials, each a training run, chosen on dev.

A process may be killed at any time: the next one goes on with the trials that it left, from their
checkpoints. Several processes may work on one folder. No trial sees the test files.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from statistics import fmean
from typing import Any

import optuna
from optuna.trial import FrozenTrial, Trial, TrialState
from rich.console import Console

from fenjie.errors import FenjieError, FileError, shorten
from fenjie.evaluation.shares import per_cent
from fenjie.files import atomic
from fenjie.lock import only_run
from fenjie.recipe.datasets import DataRecipe
from fenjie.recipe.recipe import Recipe, difference, dumps, load
from fenjie.training.run import run_training
from fenjie.tuning.space import load_for, load_space, with_settings
from fenjie.tuning.study import JOURNAL, REASON, SCORES, Journal

__all__ = ["BEST", "JOURNAL", "Search"]

RECIPE, SPACE, BEST, TRIALS = "recipe.toml", "space.toml", "best.toml", "trials"

KEPT = ("recipe.toml", "log.jsonl", "scores.json", "output.log")
"""What stays of the run of a trial once it has ended; weights would fill the disk."""

MOST_FAILURES = 3
"""A search ends where so many trials failed and none succeeded."""


class Search:
    """A search in a folder."""

    def __init__(self, recipe: Path, space: Path, folder: Path, trials: int | None = None) -> None:
        """Open the search of a folder, or begin one.

        Args:
            recipe: the recipe's file.
            space: the file of the settings that are searched.
            folder: holds the journal, the trials and, in the end, `best.toml`.
            trials: number of trials, instead of the space's.

        Raises:
            FenjieError: a file is not as it should be, the space does not fit the recipe, or the
                folder holds the search of another recipe or space.
        """
        self.recipe, self.folder = load(recipe), folder
        self.space = load_for(self.recipe, space)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            where, reason = error.filename or folder, error.strerror or str(error)
            raise FileError(where, f"cannot be written: {reason}") from error
        self._keep(folder / SPACE, space.read_bytes(), self._same_space)
        self._keep(folder / RECIPE, dumps(self.recipe).encode(), self._same_recipe)
        if trials is not None:
            self.space = replace(self.space, trials=trials)
        self.names = (recipe, space)
        self.journal = Journal(folder, self.space)

    def _keep(self, path: Path, data: bytes, check: Callable[[Path], None]) -> None:
        """Write a copy of what is searched, or check it against the one that is there."""
        if path.exists():
            check(path)
            return
        with atomic(path) as file:
            file.write_bytes(data)

    def _same_space(self, path: Path) -> None:
        before = load_space(path)
        if replace(before, trials=1) != replace(self.space, trials=1):  # more trials may follow
            raise FileError(
                self.folder, "holds the search of another space; --output names another"
            )

    def _same_recipe(self, path: Path) -> None:
        if (changed := difference(load(path), self.recipe)) is not None:
            raise FileError(self.folder, f"holds the search of another recipe: {changed}")

    def run(self, console: Console) -> FrozenTrial | None:
        """Do the trials that are missing; the best of all is written to `best.toml`.

        Raises:
            FenjieError: the first trials all failed, so that something is wrong with all.
        """
        self._go_on(console)
        while (trial := self.journal.ask()) is not None:
            self._try(trial, console)
            self._check_failures()
        self._go_on(console)  # with those of processes that were killed meanwhile
        return self.write_best()

    def _go_on(self, console: Console) -> None:
        """Go on with trials that were begun and at which no process is at work."""
        for number in self.journal.abandoned():
            if (trial := self.journal.again(number)) is not None:
                self._try(trial, console)

    def _check_failures(self) -> None:
        states = [trial.state for trial in self.journal.trials]
        if states.count(TrialState.FAIL) >= MOST_FAILURES and TrialState.COMPLETE not in states:
            failed = [t for t in self.journal.trials if t.state == TrialState.FAIL]
            raise FenjieError(f"{len(failed)} trials failed, none succeeded; the last one: "
                              f"{failed[-1].user_attrs.get(REASON, 'no reason')}")  # fmt: skip

    def _try(self, trial: Trial, console: Console) -> None:
        """Do a trial, or go on with it, unless another process is at work on it."""
        folder = self.folder / TRIALS / f"{trial.number:04}"
        with ExitStack() as held:
            try:
                held.enter_context(only_run(folder, f"trial {trial.number + 1}"))
            except FenjieError:
                return
            if self.journal.again(trial.number) is not None:  # no other process has ended it
                self._learn(trial, folder, console)

    def _learn(self, trial: Trial, folder: Path, console: Console) -> None:
        drawn = self.journal.draw(trial)
        told = ", ".join(f"{name} {value}" for name, value in drawn.items())
        console.print(f"trial {trial.number + 1} of {self.space.trials}: {told}")
        study = self.journal.study
        try:
            recipe = with_settings(untested(self.recipe), self.space.settings(drawn))
            scores = [
                self._run(trial, recipe, folder, seed) for seed in range(1, self.space.runs + 1)
            ]
            if isnan(fmean(scores)):
                raise FenjieError("dev has no F1: nothing to find in it, nothing found")
        except optuna.TrialPruned:
            study.tell(trial.number, state=TrialState.PRUNED)
            console.print(f"trial {trial.number + 1}: given up, below the median of the others")
        except FenjieError as error:
            trial.set_user_attr(REASON, shorten(str(error)))
            study.tell(trial.number, state=TrialState.FAIL)
            console.print(f"trial {trial.number + 1}: failed: {error}")
        else:
            trial.set_user_attr(SCORES, scores)
            study.tell(trial.number, fmean(scores))
            console.print(f"trial {trial.number + 1}: dev F1 {per_cent(fmean(scores))}")
        for run in folder.iterdir():
            if run.is_dir():
                _tidy(run)

    def _run(self, trial: Trial, recipe: Recipe, folder: Path, seed: int) -> float:
        """The dev F1 of one run of a trial; it goes on where it was stopped."""
        output = folder / f"seed-{seed}"
        done = output / "scores.json"
        if done.exists():
            f1 = json.loads(done.read_text(encoding="utf-8"))["dev"]["f1"]
            return nan if f1 is None else float(f1)
        known = set(self.journal.trials[trial.number].intermediate_values)

        def watch(epoch: int, f1: float) -> None:
            if seed > 1:
                return
            if epoch - 1 not in known:
                known.add(epoch - 1)
                trial.report(f1, epoch - 1)
            if trial.should_prune():
                raise optuna.TrialPruned

        result = run_training(
            recipe, output, resume=True, seed=seed, console=Console(quiet=True), watch=watch
        )
        return float(result.dev.f1)

    def write_best(self) -> FrozenTrial | None:
        """Write the best recipe, with its test files, where there is one."""
        best = self.journal.best
        if best is None:
            return None
        recipe = with_settings(self.recipe, self.space.settings(best.params))
        lines = [
            f"# The best of {len(self.journal.trials)} trials of {self.names[0]} over",
            f"# {self.names[1]}: trial {best.number + 1}, dev F1 {per_cent(best.value or 0.0)}.",
        ]
        with atomic(self.folder / BEST) as file:
            text = "\n".join([*lines, dumps(recipe)])
            file.write_text(text, encoding="utf-8", newline="\n")
        return best

    def rows(self) -> list[dict[str, Any]]:
        """The trials as values for JSON, in their order; `dev` is a share between 0 and 1."""
        return [
            {
                "trial": trial.number + 1,
                "state": trial.state.name.lower(),
                "dev": trial.value if trial.state == TrialState.COMPLETE else None,
                "runs": trial.user_attrs.get(SCORES, []),
                "epochs": len(trial.intermediate_values),
                "drawn": dict(trial.params),
                "reason": trial.user_attrs.get(REASON),
            }
            for trial in self.journal.trials
        ]


def untested(recipe: Recipe) -> Recipe:
    """The recipe without its test files: a search may not look at them."""
    data = recipe.data
    corpora = tuple(replace(corpus, test=()) for corpus in data.corpora)
    changed: dict[str, Any] = {"corpora": corpora} if corpora else {"test": ()}
    without: DataRecipe = replace(data, **changed)
    return replace(recipe, data=without)


def _tidy(run: Path) -> None:
    """Keep of a run what tells about it, and drop its weights and curves."""
    for path in run.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in KEPT:
            path.unlink()
