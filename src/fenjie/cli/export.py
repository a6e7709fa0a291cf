"""`fenjie export`: make a trained model ready to run without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fenjie.cli.options import path


def export(
    model: Annotated[Path, typer.Argument(help="The model folder.", parser=path)],
    tables: Annotated[
        Literal["float32", "float16", "int8"],
        typer.Option(help="How the vectors of characters and bigrams are stored."),
    ] = "float32",
    words: Annotated[
        Literal["int8", "int4"],
        typer.Option(
            help="How the vectors of words are stored, of a model that reads words; int4 halves "
            "their file, for good."
        ),
    ] = "int8",
    encoder: Annotated[
        Literal["float32", "int8"],
        typer.Option(
            help="How the matrices of a pretrained encoder are stored and multiplied; int8 is "
            "faster and a quarter of the size."
        ),
    ] = "float32",
    start: Annotated[
        bool,
        typer.Option(
            "--start",
            help="Also write start.safetensors: the weights in few bits, from which other models "
            "can start where model.safetensors is not shipped.",
        ),
    ] = False,
) -> None:
    """Write model.onnx into a model folder and check it against PyTorch."""
    from fenjie.errors import FenjieError, needing
    from fenjie.runtime.folder import shipped

    if not model.exists() and str(model) in shipped():
        raise FenjieError(f"{model} is a shipped model, exported already; expected a model folder")
    with needing("export needs", "train"):
        from fenjie.export import export as make

    report = make(model, tables=tables, words=words, encoder=encoder)
    found = report.difference
    typer.echo(
        f"{report.path}: {report.size / 1e6:.1f} MB; {found.changed} of {found.decisions:,} "
        f"{found.what} are decided otherwise than by PyTorch, scores differ by at most "
        f"{found.scores:.1g}"
    )
    if start:
        from fenjie.runtime.folder import ModelFolder
        from fenjie.runtime.model_files import START
        from fenjie.tasks.weights import write_start

        size = write_start(ModelFolder.open(model))
        typer.echo(f"{model / START}: {size / 1e6:.1f} MB")
