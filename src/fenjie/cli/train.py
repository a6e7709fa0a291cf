"""`fenjie train`: train a model by a recipe."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def train(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a TOML file.", show_default=False)],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint of the run.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The run's folder; runs/RECIPE without it."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Instead of the recipe's; the folder is runs/RECIPE-SEED.")
    ] = None,
) -> None:
    """Train a model by a recipe, choose the best on dev, score it on test.

    Several processes: `torchrun --nproc-per-node 2 -m fenjie train RECIPE`, or accelerate launch.
    """
    from fenjie.cli.evaluate import scores_table
    from fenjie.errors import FenjieError

    try:
        from fenjie.training.run import run_training
    except ModuleNotFoundError as error:
        raise FenjieError(
            f"training needs {error.name}, which is not installed: pip install 'fenjie[train]'"
        ) from error
    from rich.console import Console

    result = run_training(recipe, output, resume=resume, seed=seed)
    if os.environ.get("RANK", "0") == "0":  # one of several processes speaks
        console = Console()
        console.print(scores_table({"dev": result.dev, **result.test}))
        console.print(
            f"best after step {result.step:,} (epoch {result.epoch}); model in {result.model}"
        )
