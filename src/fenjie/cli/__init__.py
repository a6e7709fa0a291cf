"""The command line: thin commands, each in a module of its own.

A command imports the packages that it needs when it runs: `fenjie --help` is quick, and only
commands that train, export or look into a model load torch.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn, cast

import typer

from fenjie import __version__
from fenjie.cli import (
    comparison,
    data,
    demo,
    distill,
    doctor,
    evaluate,
    explain,
    export,
    hub,
    models,
    pretrain,
    scale,
    segment,
    serve,
    tag,
    train,
    tuning,
    vectors,
)
from fenjie.errors import FenjieError, FenjieWarning, shown

BAD_INPUT = 2
"""The exit code where the input or the use is at fault."""

app = typer.Typer(
    name="fenjie",
    help="Finds the boundaries in Chinese text: words and named entities.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fenjie {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


app.command("segment")(segment.segment)
app.command("tag")(tag.tag)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
app.command("models")(models.models)
app.command("train")(train.train)
app.command("search")(tuning.search)
app.command("pretrain")(pretrain.pretrain)
app.command("distill")(distill.distill)
app.command("evaluate")(evaluate.evaluate)
app.command("compare")(comparison.compare)
app.command("export")(export.export)
app.command("serve")(serve.serve)
app.command("push")(hub.push)
app.command("pull")(hub.pull)
app.add_typer(explain.app, name="explain")
app.add_typer(data.app, name="data")
app.add_typer(vectors.app, name="vectors")
app.add_typer(scale.app, name="scale")


def main() -> None:
    """Run a command of `fenjie`, see `run`."""
    run(app)


_UsageError = cast(type[Exception], typer.BadParameter.__base__)  # of click, wherever typer has it


def run(command: typer.Typer) -> None:
    """Run a command. Bad input ends it with one line on standard error and exit code 2."""
    try:
        with _warnings_as_lines():
            code = command(standalone_mode=False)
        sys.stdout.flush()
    except FenjieError as error:
        _fail(str(error))
    except _UsageError as error:
        _fail(error.format_message())  # type: ignore[attr-defined]
    except MemoryError as error:
        _fail(f"not enough memory {error}")
    except OSError as error:
        place = "standard output" if error.filename is None else error.filename
        _fail(f"{place}: {error.strerror or error}")
    sys.exit(code)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Where what fenjie warns of is one line on standard error, without the place in the code."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
            if issubclass(category, FenjieWarning):
                _say(str(message))
            else:
                others(message, category, *place)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _say(message: str) -> None:
    line = shown(" ".join(message.split("\n")))
    if line:  # of a command without arguments, typer has printed the help
        print(f"fenjie: {line}".encode("utf-8", "backslashreplace").decode(), file=sys.stderr)


def _fail(message: str) -> NoReturn:
    _say(message)
    # Text that could not be written stays in Python's buffer and must not be tried again at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(BAD_INPUT)
