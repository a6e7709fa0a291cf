"""`fenjie train`: train a model by a recipe."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from fenjie.cli.options import RunFolder, path
from fenjie.cli.stopped import resumable
from fenjie.recipe.named import NAMES


def train(
    recipe: Annotated[
        Path,
        typer.Argument(
            help=f"The recipe, a TOML file; or {' or '.join(NAMES)}, for data of your own.",
            parser=path,
        ),
    ],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint of the run.")
    ] = False,
    output: RunFolder = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**63 - 1, help="Instead of the recipe's; the folder is runs/RECIPE-SEED."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="A folder with your own train.*, dev.* and test.* files, instead of the recipe's "
            "data; the folder of the run is runs/RECIPE-FOLDER. Without dev.*, a tenth of "
            "train.* is held out; test.* may be missing.",
            parser=path,
        ),
    ] = None,
) -> None:
    """Train a model by a recipe, choose the best on dev, score it on test.

    Several processes: `torchrun --nproc-per-node 2 -m fenjie train RECIPE`, or accelerate launch.
    """
    from fenjie.errors import needing

    with needing("training needs", "train"):
        from fenjie.training.run import run_training
    from fenjie.cli.tables import run_scores
    from fenjie.progress import Screen
    from fenjie.recipe.recipe import reading

    with reading(recipe), resumable():
        result = run_training(recipe, output, resume=resume, seed=seed, data=data)
    if os.environ.get("RANK", "0") == "0":  # one of several processes speaks
        console = Screen()
        console.print(run_scores({"dev": result.dev, **result.test}))
        console.print(
            f"best after step {result.step:,} (epoch {result.epoch}); model in {result.model}"
        )
