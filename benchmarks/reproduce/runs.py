"""The runs of a published table: which are to be done, and doing them, some at a time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, Protocol

from benchmarks.reproduce.published import Table
from benchmarks.reproduce.records import SCORES, Records, collect, note_start, other_recipe
from fenjie.errors import FenjieError, FileError
from fenjie.recipe.derived import self_contained
from fenjie.recipe.recipe import Recipe, load, loads
from fenjie.training.run_folder import CHECKPOINT, RECIPE

RUNS = Path("runs")
LOG = "output.log"
"""The log of a run, in its folder."""
SAYS = "fenjie: "
"""The beginning of the line in which the command line tells of an error."""

State = Literal["recorded", "finished", "interrupted", "new"]


@dataclass(frozen=True)
class Job:
    """A recipe with a seed; several tables may need it, and it is run once.

    Attributes:
        recipe: the path of the recipe, from the root of the repository.
        seed: instead of the recipe's.
    """

    recipe: str
    seed: int

    @property
    def folder(self) -> Path:
        """The run's folder: `runs/flat-weibo-1`, `runs/atssa/weibo-no-top-k-1`."""
        path = Path(self.recipe).with_suffix("")
        inside = path.relative_to("recipes") if path.is_relative_to("recipes") else Path(path.name)
        return RUNS / inside.with_name(f"{inside.name}-{self.seed}")

    @property
    def name(self) -> str:
        """The folder's name within `runs`."""
        return self.folder.relative_to(RUNS).as_posix()


def jobs(table: Table, seeds: int | None = None) -> list[Job]:
    """All runs of a table, the first seed of every row first.

    Args:
        table: the table.
        seeds: number of seeds; None for the number that the table gives for each data set.
    """
    rows = [
        (row.recipes[key], data.seeds if seeds is None else seeds)
        for row in table.rows.values()
        for key, data in table.data.items()
        if key in row.recipes
    ]
    most = max((count for _, count in rows), default=0)
    every = (Job(name, s) for s in range(1, most + 1) for name, count in rows if s <= count)
    return list(dict.fromkeys(every))


def state(job: Job, records: Records | None) -> State:
    """The progress of a run.

    Args:
        job: the run.
        records: the runs on record; None where those do not count.

    Raises:
        FenjieError: the recipe is missing or malformed; or its folder holds a run of another
            recipe, and the message says which setting differs.
    """
    recipe = load(Path(job.recipe))
    recorded = records.runs(job.recipe, recipe) if records is not None else []
    if any(run["seed"] == job.seed for run in recorded):
        return "recorded"
    done = (job.folder / SCORES).exists()
    if not done and not (job.folder / CHECKPOINT).exists():
        return "new"
    _check(job, recipe)
    return "finished" if done else "interrupted"


def _check(job: Job, recipe: Recipe) -> None:
    """Refuse a run of the recipe as it was."""
    if (changed := other_recipe(load(job.folder / RECIPE), recipe)) is not None:
        raise FileError(
            job.folder, f"holds a run of another form of {job.recipe}: {changed}; move it away"
        )


def record(job: Job, records: Path) -> None:
    """Add a finished run to the file of records, which other processes may write too.

    Raises:
        FenjieError: the run is not finished, the recipe was changed while it ran, or a file
            cannot be read or written.
    """
    run, text = collect(job.folder), self_contained(Path(job.recipe)).decode()
    _check(job, loads(text, job.recipe))
    current = Records(records)
    current.add(job.recipe, text, run)
    current.save()


class Process(Protocol):
    """A run at work; `subprocess.Popen` is one."""

    def poll(self) -> int | None:
        """Its exit code, once it has ended."""

    def terminate(self) -> None:
        """Ask it to end."""

    def wait(self) -> int:
        """Wait until it has."""


def start(job: Job) -> subprocess.Popen[bytes]:
    """Train a run in a process of its own, or go on with it; its output goes to its log.

    Raises:
        FenjieError: another process is at work on it.
    """
    job.folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "fenjie", "train", job.recipe, "--resume"]
    command += ["--seed", str(job.seed), "--output", str(job.folder)]
    environment = {"OMP_NUM_THREADS": "1", **os.environ}
    with open(job.folder / LOG, "ab") as log:
        _lock(log)
        note_start(job.folder)
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log)


def _lock(log: IO[bytes]) -> None:
    """Lock the log for as long as it is open here or in the process that writes it."""
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise FenjieError("another process is at work on it") from error


@dataclass(frozen=True)
class Watch:
    """Callbacks for the progress of runs.

    Attributes:
        started: a run has begun.
        ended: a run is over; None, or what went wrong.
        tick: time has passed.
    """

    started: Callable[[Job], None]
    ended: Callable[[Job, str | None], None]
    tick: Callable[[], None]


def run_all(
    waiting: Iterable[Job],
    workers: int,
    begin: Callable[[Job], Process],
    finish: Callable[[Job], None],
    watch: Watch,
    pause: float = 0.5,
) -> dict[Job, str]:
    """Do runs, some at a time. One that fails does not stop the others.

    Whatever ends this early (Ctrl-C) ends the runs at work first; their checkpoints stay.

    Args:
        waiting: the runs, in order.
        workers: number of runs at a time.
        begin: starts one.
        finish: called with each one that ended well.
        watch: who is told.
        pause: seconds between two looks.

    Returns:
        What went wrong, by run.
    """
    queue, running, failed = deque(waiting), dict[Job, Process](), dict[Job, str]()

    def end(job: Job, problem: str | None) -> None:
        if problem is not None:
            failed[job] = problem
        watch.ended(job, problem)

    try:
        while queue or running:
            while queue and len(running) < workers:
                job = queue.popleft()
                try:
                    running[job] = begin(job)
                    watch.started(job)
                except FenjieError as error:
                    end(job, str(error))
            for job, process in list(running.items()):
                if (code := process.poll()) is None:
                    continue
                del running[job]
                try:
                    problem = _failure(job, code) if code else None
                    if problem is None:
                        finish(job)
                except FenjieError as error:
                    problem = str(error)
                end(job, problem)
            watch.tick()
            if running:
                time.sleep(pause)
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.wait()
    return failed


def _failure(job: Job, code: int) -> str:
    """How a run failed: its exit code, what it said of an error at last, and where its log is."""
    log = job.folder / LOG
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    said = next(reversed(text.splitlines()), "")
    reason = f": {said.removeprefix(SAYS)}" if said.startswith(SAYS) else ""
    return f"exit code {code}{reason}, see {log}"
