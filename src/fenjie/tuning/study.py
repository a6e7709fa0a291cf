"""The journal of a search: one file, which several processes write, and which outlives each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import numpy as np
import optuna
from filelock import FileLock
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock
from optuna.trial import FrozenTrial, Trial, TrialState

from fenjie.errors import FileError
from fenjie.tuning.space import Between, Space, Value

JOURNAL, ASKING = "journal.jsonl", ".asking.lock"

REASON = "reason"
"""The attribute of a failed trial that says why."""

SCORES = "dev"
"""The attribute of a trial with the dev F1 of each of its runs."""


class Journal:
    """The trials of a search."""

    def __init__(self, folder: Path, space: Space) -> None:
        """Open the journal of a folder, which is made where it is missing.

        Raises:
            FileError: the file holds something else.
        """
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.folder, self.space = folder, space
        path = folder / JOURNAL
        _drop_broken_end(path)
        try:
            backend = JournalFileBackend(str(path), JournalFileOpenLock(str(path)))
            storage = optuna.storages.JournalStorage(backend)
            pruner: optuna.pruners.BasePruner = optuna.pruners.NopPruner()
            if space.prune:
                pruner = optuna.pruners.MedianPruner(space.patience, space.prune - 1)
            with self._alone():
                self.study = optuna.create_study(
                    storage=storage,
                    study_name="fenjie",
                    direction="maximize",
                    pruner=pruner,
                    load_if_exists=True,
                )
        except (ValueError, KeyError, TypeError) as error:  # other JSON, too
            raise FileError(path, f"is no journal of a search: {error}") from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While no other process asks for a trial."""
        with FileLock(self.folder / ASKING):
            yield

    @property
    def trials(self) -> list[FrozenTrial]:
        """All trials so far, in order."""
        return self.study.get_trials(deepcopy=False)

    def ask(self) -> Trial | None:
        """Begin a trial, with its settings drawn; None where there are as many as are wanted."""
        with self._alone():
            number = len(self.trials)
            if number >= self.space.trials:
                return None
            self.study.sampler = self._sampler(number)
            trial = self.study.ask()
            self.draw(trial)
            return trial

    def abandoned(self) -> list[int]:
        """The numbers of trials that were begun and not ended; their processes may be at work."""
        return [trial.number for trial in self.trials if trial.state == TrialState.RUNNING]

    def again(self, number: int) -> Trial | None:
        """A trial that was begun and not ended, to go on with it; None where it has ended."""
        found = self.trials[number]
        if found.state != TrialState.RUNNING:
            return None
        self.study.sampler = self._sampler(number)
        return Trial(self.study, found._trial_id)

    def draw(self, trial: Trial) -> dict[str, Value]:
        """What is drawn for a trial; what was drawn for it before stays."""
        return {name: self._draw(trial, name) for name in self.space.choices}

    def _draw(self, trial: Trial, name: str) -> Value:
        choice = self.space.choices[name]
        if not isinstance(choice, Between):
            return cast(Value, trial.suggest_categorical(name, choice))
        if choice.whole:
            return trial.suggest_int(name, int(choice.low), int(choice.high), log=choice.log)
        return trial.suggest_float(name, choice.low, choice.high, log=choice.log)

    def _sampler(self, number: int) -> optuna.samplers.BaseSampler:
        """The sampler of a trial: its draws follow from seed and number, whatever process asks."""
        seed = int(np.random.SeedSequence([self.space.seed, number]).generate_state(1)[0])
        if self.space.method == "random":
            return optuna.samplers.RandomSampler(seed=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            return optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True)

    @property
    def best(self) -> FrozenTrial | None:
        """The complete trial with the best dev F1, the earliest of equals."""
        done = [trial for trial in self.trials if trial.state == TrialState.COMPLETE]
        return max(done, key=lambda trial: (trial.value or 0.0, -trial.number), default=None)


def _drop_broken_end(path: Path) -> None:
    """Drop what a process that was killed while it wrote has left of a line."""
    if not path.exists():
        return
    lock = JournalFileOpenLock(str(path))
    lock.acquire()
    try:
        data = path.read_bytes()
        if data and not data.endswith(b"\n"):
            with open(path, "r+b") as file:
                file.truncate(data.rfind(b"\n") + 1)
    finally:
        lock.release()
