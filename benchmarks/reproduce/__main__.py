"""Runs the recipes of a published table and prints measured beside published.

python -m benchmarks.reproduce TABLE
"""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fenjie.cli import run
from fenjie.errors import FenjieError, needing

if TYPE_CHECKING:
    from rich.progress import TaskID

    from benchmarks.reproduce.published import Table
    from benchmarks.reproduce.records import Records
    from benchmarks.reproduce.runs import Job


def reproduce(
    table: Annotated[
        str | None,
        typer.Argument(help="A table in recipes/tables; without it they are listed."),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="Seeds 1 to this; without it as the table says.", metavar="N"),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Number of runs at a time.")] = 1,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Run this row alone; may be given several times."),
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", help="Run this data set alone; may be given several times."),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Run what is recorded anew; new runs take its place."),
    ] = False,
    list_runs: Annotated[
        bool,
        typer.Option(
            "--list",
            help="List the runs and how far each is; without a table, every cell of the papers.",
        ),
    ] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Print the table as recorded; run nothing.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table in Markdown.")
    ] = False,
) -> None:
    """Run the recipes of a published table over seeds, and print measured beside published.

    Run it at the root of the repository. A finished run is not run again, an interrupted one goes
    on from its checkpoint. With --again a run that is on record alone, not in `runs`, counts as
    new. Every finished run is added to benchmarks/results/training.json.
    """
    with needing("this needs", "train"):
        from benchmarks.reproduce import runs
        from benchmarks.reproduce.published import find_table, table_names
        from benchmarks.reproduce.records import RECORDS, Records

    if table is None:
        given = {"--seeds": seeds, "--only": only, "--data": data, "--again": again, "--show": show}
        for name in (name for name, value in given.items() if value):
            raise FenjieError(f"{name} is for a table; expected one of {', '.join(table_names())}")
        if list_runs:
            _list_cells(Records(RECORDS), markdown)
        else:
            _list_tables()
        return
    whole = find_table(table)
    chosen = whole.choose(data or [], only or [])
    failed: dict[Job, str] = {}
    if list_runs:
        _list_runs(runs.jobs(chosen, seeds), None if again else Records(RECORDS))
        return
    if not show:
        every, records = runs.jobs(chosen, seeds), Records(RECORDS)
        states = {job: runs.state(job, None if again else records) for job in every}
        for job in every:
            if states[job] == "finished":
                runs.record(job, RECORDS)
        waiting = [job for job in every if states[job] in ("interrupted", "new")]
        done = len(every) - len(waiting)
        typer.echo(f"{len(every)} runs, {done} of them done; {jobs} at a time", err=True)
        failed = _run(waiting, jobs)
    _show(whole, Records(RECORDS), markdown)
    for job, problem in failed.items():
        typer.echo(f"failed: {job.name}: {problem}", err=True)
    if failed:
        raise typer.Exit(1)


def _list_tables() -> None:
    from benchmarks.reproduce.published import find_table, table_names

    for name in table_names():
        table = find_table(name)
        typer.echo(f"{name:<16}{table.title} ({table.source}): {', '.join(table.rows)}")


def _list_cells(records: Records, as_markdown: bool) -> None:
    from benchmarks.reproduce import cells

    every = list(cells.Cells(records))
    if as_markdown:
        typer.echo(cells.markdown(every), nl=False)
        return
    for line in cells.lines(every):
        typer.echo(line)
    typer.echo(f"\n{len(every)} cells: {cells.counts(every)}")


def _list_runs(jobs: Sequence[Job], records: Records | None) -> None:
    from benchmarks.reproduce.runs import state

    for job in jobs:
        try:
            found = f"{state(job, records):<12}{job.recipe} seed {job.seed}"
        except FenjieError as error:
            found = f"{'impossible':<12}{job.recipe} seed {job.seed}: {error}"
        typer.echo(found)


def _show(table: Table, records: Records, as_markdown: bool) -> None:
    from benchmarks.reproduce.comparison import HEADS, lines, markdown, measured
    from fenjie.cli.tables import plain
    from fenjie.progress import Screen

    if as_markdown:
        typer.echo(markdown(table, records), nl=False)
        return
    console = Screen()
    console.print(f"{table.title} ({table.source})", style="bold")
    for key, data in table.data.items():
        cells, notes = measured(table, key, records)
        shown = plain(data.title, *HEADS)
        for line in lines(cells):
            shown.add_row(*line)
        console.print()
        console.print(shown)
        for note in notes:
            console.print(note, style="dim")
    if any(row.bert for row in table.rows.values()):
        console.print("\n‡ with BERT: compare the differences, not the figures")


def _run(waiting: Sequence[Job], workers: int) -> dict[Job, str]:
    """Do runs, with a bar for all of them and one for each that is at work."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from benchmarks.reproduce.records import RECORDS
    from benchmarks.reproduce.runs import Watch, record, run_all, start
    from fenjie.recipe.recipe import load

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:g}/{task.total:g} {task.fields[what]}"),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    shown: dict[Job, TaskID] = {}
    whole = bar.add_task("all", total=len(waiting), what="runs")

    def started(job: Job) -> None:
        epochs = load(Path(job.recipe)).training.epochs
        shown[job] = bar.add_task(job.name, total=epochs, what="epochs")
        bar.console.print(f"started {job.name}", highlight=False)

    def ended(job: Job, problem: str | None) -> None:
        if job in shown:
            bar.remove_task(shown.pop(job))
        bar.advance(whole)
        said = f"failed {job.name}: {problem}" if problem else f"done {job.name}"
        bar.console.print(said, highlight=False, markup=False)

    def tick() -> None:
        for job, task in shown.items():
            bar.update(task, completed=epochs_done(job.folder / "log.jsonl"))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupted)  # as Ctrl-C: the runs end too
    try:
        with bar:
            return run_all(
                waiting,
                workers,
                start,
                lambda job: record(job, RECORDS),
                Watch(started, ended, tick),
            )
    finally:
        signal.signal(signal.SIGTERM, before)


def epochs_done(log: Path) -> int:
    """Number of epochs that are done, by the log of a run."""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, file.seek(0, 2) - 4096))
            lines = file.read().splitlines()
    except OSError:
        return 0
    for line in reversed(lines):
        try:
            entry = json.loads(line)
            return int(entry["epoch"]) - ("dev" not in entry)
        except (ValueError, KeyError, TypeError):  # the first line may be cut
            continue
    return 0


def main() -> None:
    """Run the command line."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(reproduce)
    run(app)


if __name__ == "__main__":
    main()
