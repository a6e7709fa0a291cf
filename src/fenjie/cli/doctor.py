"""`fenjie doctor`: whether the installation works."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fenjie.runtime.diagnosis import Diagnosis


def doctor(
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A model folder to examine too; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show versions, models, threads and speed; exit code 1 if a model does not work.

    The checksums of each model are verified, and each is run for half a second.
    """
    from fenjie.runtime.diagnosis import diagnose
    from fenjie.runtime.folder import shipped

    found = diagnose([*shipped(), *(model or [])])
    if as_json:
        typer.echo(json.dumps(found.as_dict(), ensure_ascii=False, indent=2))
    else:
        _print(found)
    raise typer.Exit(not found.ok)


def _print(found: Diagnosis) -> None:
    from fenjie.errors import shown

    there = [f"{name} {version}" for name, version in found.packages.items() if version]
    missing = [name for name, version in found.packages.items() if version is None]
    bounds = "".join(f", {name}={value}" for name, value in found.threads.items())
    typer.echo(f"fenjie {found.fenjie}, Python {found.python}, {found.system}")
    typer.echo(f"installed: {', '.join(there)}")
    if missing:
        typer.echo(f"not installed: {', '.join(missing)} (of extras)")
    typer.echo(f"cores: {found.cores}{shown(bounds)}")
    for model in found.models:
        if model.fault is None:
            speed = f"{model.characters_per_second:,} characters/s with one thread"
            typer.echo(shown(f"model {model.name}: {model.task}, checksums agree, {speed}"))
        else:
            typer.echo(shown(f"model {model.name}: FAILS: {model.fault}"))
    typer.echo("all works" if found.ok else "something does not work")
