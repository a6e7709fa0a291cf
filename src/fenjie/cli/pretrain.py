"""`fenjie pretrain`: learn an encoder of characters from raw text, by a recipe."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from fenjie.cli.options import RecipeFile, RunFolder
from fenjie.cli.stopped import resumable


def pretrain(
    recipe: RecipeFile,
    output: RunFolder = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint of the run.")
    ] = False,
) -> None:
    """Learn an encoder of characters from raw text: it predicts the next one, in both directions.

    The encoder is a folder in the form of Hugging Face, for `name` under `model.pretrained` of a
    recipe. Several processes: `torchrun --nproc-per-node 2 -m fenjie pretrain RECIPE`, or
    accelerate launch.
    """
    from fenjie.errors import needing

    with needing("pre-training needs", "bert"):
        from fenjie.pretraining.pretraining import pretrain
    from fenjie.recipe.recipe import reading

    with reading(recipe), resumable():
        encoder = pretrain(recipe, output, resume=resume)
    if os.environ.get("RANK", "0") == "0":  # one of several processes speaks
        typer.echo(f"encoder in {encoder}")
