"""`fenjie search`: search settings of a recipe on dev."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fenjie.cli.options import path

if TYPE_CHECKING:
    from fenjie.tuning.tuning import Search

SHOWN = 10
"""Number of trials that are shown, the best ones."""


def search(
    recipe: Annotated[
        Path, typer.Argument(help="The recipe whose settings are searched.", parser=path)
    ],
    space: Annotated[
        Path, typer.Argument(help="The settings and their values, a TOML file.", parser=path)
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The search's folder; runs/RECIPE-SPACE without it.", parser=path
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of trials, those before included; without it the space's."
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Show the trials; do none.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every trial as JSON.")] = False,
) -> None:
    """Search settings of a recipe: at random or by TPE, each trial a run that dev judges.

    Start the same command again to go on after a stop or a kill, or several times at once to share
    the work. The best setting is written as a recipe, best.toml.
    """
    from fenjie.errors import FileError, needing

    with needing("a search needs", "search"):
        from fenjie.tuning.tuning import JOURNAL, Search
    from fenjie.progress import Screen
    from fenjie.recipe.recipe import reading

    folder = output or Path("runs") / f"{recipe.stem}-{space.stem}"
    if show and not (folder / JOURNAL).exists():
        raise FileError(folder, "holds no search", expected=f"a folder with {JOURNAL}")
    found = Search(recipe, space, folder, trials)
    if not show:
        with reading(recipe):
            found.run(Screen(stderr=True))
    if as_json:
        typer.echo(json.dumps(found.rows(), ensure_ascii=False))
    else:
        _print(found)


def _print(found: Search) -> None:
    """The best trials, the number of the others, and where the best recipe is."""
    from collections import Counter

    from fenjie.cli.tables import plain
    from fenjie.evaluation.shares import per_cent
    from fenjie.progress import Screen
    from fenjie.tuning.tuning import BEST

    console, rows = Screen(soft_wrap=True), found.rows()
    done = sorted((row for row in rows if row["dev"] is not None), key=lambda row: -row["dev"])
    table = plain("trial", "dev F1", *found.space.choices)
    for row in done[:SHOWN]:
        drawn = (_short(row["drawn"].get(name)) for name in found.space.choices)
        table.add_row(str(row["trial"]), per_cent(row["dev"]), *drawn)
    console.print(table)
    states = Counter(row["state"] for row in rows)
    console.print(", ".join(f"{count} {state}" for state, count in states.items()))
    if done and (found.folder / BEST).exists():
        console.print(f"the best: {found.folder / BEST}")


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
