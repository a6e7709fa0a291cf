"""`fenjie distill`: a fast segmenter from a better one, by a recipe."""

from __future__ import annotations

from typing import Annotated

import typer

from fenjie.cli.options import RecipeFile, RunFolder
from fenjie.cli.stopped import resumable


def distill(
    recipe: RecipeFile,
    output: RunFolder = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what the teacher has cut already.")
    ] = False,
) -> None:
    """Make a fast segmenter: it learns from raw text that another one has cut, then from gold.

    The model is a folder as any other, which numpy alone runs.
    """
    from fenjie.errors import needing

    with needing("distillation needs", "train"):
        from fenjie.distillation.distillation import distil
    from fenjie.recipe.recipe import reading

    with reading(recipe), resumable():
        model = distil(recipe, output, resume=resume)
    typer.echo(f"model in {model}")
