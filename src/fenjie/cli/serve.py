"""`fenjie serve`: words and entities over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fenjie.cli.options import Threads, no_nan, path


def serve(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="A shipped model, or a model folder, or NAME=FOLDER; may be given several times. "
            "The first of each task is the default of requests. Without it all that are shipped.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 for all of the machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")] = 8000,
    threads: Threads = 1,
    max_characters: Annotated[
        int, typer.Option(min=1, help="Characters of a request; beyond them it is refused.")
    ] = 100_000,
    max_texts: Annotated[int, typer.Option(min=1, help="Texts of a request.")] = 1_000,
    max_waiting: Annotated[int, typer.Option(min=1, help="Requests that wait at once.")] = 256,
    timeout: Annotated[
        float,
        typer.Option(min=0.1, max=3600, help="Seconds that a request may wait.", callback=no_nan),
    ] = 10,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="A file with a token; requests must have it (Authorization: Bearer).", parser=path
        ),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(
            help="A folder in which models are trained, from the page or POST /v1/train; those "
            "in it are served, too. For this machine alone, or with a token.",
            parser=path,
        ),
    ] = None,
    log: Annotated[
        Literal["errors", "requests", "texts"],
        typer.Option(help="errors alone; a line per request, without texts; texts too."),
    ] = "errors",
    label_studio: Annotated[
        bool, typer.Option("--label-studio", help="Propose entities to Label Studio too.")
    ] = False,
) -> None:
    """Serve words and entities over HTTP, until TERM or Ctrl-C.

    Listens to this machine alone unless --host says otherwise. Requests that were accepted are
    answered before it ends.
    """
    from fenjie.errors import needing

    with needing("fenjie serve needs", "serve"):
        from fenjie.serve.server import is_local, listen, run, url
    from fenjie.errors import FenjieError
    from fenjie.integrations.label_studio import LabelStudioService
    from fenjie.runtime.folder import shipped
    from fenjie.serve.app import Service
    from fenjie.serve.limits import Limits
    from fenjie.serve.taggers import Models
    from fenjie.serve.trainer import Trainer

    token = None if token_file is None else _token(token_file)
    limits = Limits(max_characters, max_texts, max_waiting, timeout)
    with listen(host, port) as listening:
        if train is not None and token is None and not is_local(listening):
            raise FenjieError("--train needs --token-file where others can reach the service")
        models = Models.load(model or shipped(), threads)
        kind = LabelStudioService if label_studio else Service
        trainer = None if train is None else Trainer(train, models)
        service = kind(models, limits, token, log, trainer)

        def ready() -> None:
            names = ", ".join(one.name for one in models)
            typer.echo(f"fenjie serves {names} at {url(listening)}", err=True)
            if token is None and not is_local(listening):
                typer.echo("Anyone who reaches this machine can use it: no --token-file.", err=True)
            if trainer is not None and trainer.missing:
                typer.echo(f"Nothing can be trained: {trainer.missing}", err=True)

        run(service, listening, ready)


def _token(path: Path) -> str:
    from fenjie.errors import FileError
    from fenjie.files import read_lines

    lines = [line for _, line in read_lines(path)]
    if len(lines) != 1 or not lines[0].strip() or not lines[0].isascii():
        raise FileError(path, "is no file of a token", expected="one line of ASCII characters")
    return lines[0].strip()
