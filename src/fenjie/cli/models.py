"""`fenjie models`: the installed models and the systems that can be trained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from fenjie.errors import FenjieError


def models(
    model: Annotated[
        str | None,
        typer.Argument(help="Show this one: a shipped model or a folder."),
    ] = None,
    architectures: Annotated[
        bool, typer.Option("--architectures", help="List the systems that recipes can train.")
    ] = False,
) -> None:
    """List the models that come with fenjie and their scores, or describe one model."""
    if architectures and model is not None:
        raise FenjieError(f"--architectures lists all systems; expected no model, found {model}")
    if architectures:
        _architectures()
    elif model is None:
        _list()
    else:
        _describe(model)


def _list() -> None:
    from fenjie.cli.tables import plain
    from fenjie.progress import Screen
    from fenjie.runtime.folder import ModelFolder, shipped

    names = shipped()
    if not names:
        typer.echo("no models come with this installation")
        return
    text = ("task", "architecture", "data")
    table = plain("name", "task", "architecture", "MB", "data", "F1", text=text)
    for name in names:
        folder = ModelFolder.open(name)
        scores = f1_scores(folder.path)
        config = folder.config
        size = f"{size_of(folder.path) / 1e6:.1f}"
        about = (name, config["task"], config["architecture"], size)
        for data, f1 in scores.items() or [("–", "–")]:
            table.add_row(*about, data, f1)
            about = ("", "", "", "")
    Screen().print(table)


def _architectures() -> None:
    from fenjie.cli.architectures import ARCHITECTURES, MECHANISMS, scores
    from fenjie.cli.tables import plain
    from fenjie.progress import Screen

    measured = scores()
    columns = ("name", "system", "finds", "paper", "F1 (seeds)")
    table = plain(*columns, text=columns)
    for name, one in ARCHITECTURES.items():
        table.add_row(name, one.title, one.task, one.paper, _shown(measured.get(name, {})))
    for name, part in MECHANISMS.items():
        title = f"{part.title} ({part.setting})"
        table.add_row(name, title, part.task, part.paper, _shown(measured.get(name, {})))
    Screen().print(table)


def _shown(measured: Mapping[str, Mapping[str, Any]]) -> str:
    cells = []
    for data, one in measured.items():
        notes = [text for key, text in _NOTES.items() if one.get(key)]
        cells.append(f"{data} {one['f1']:.2f} ({', '.join([str(one['seeds']), *notes])})")
    return ", ".join(cells) or "–"


_NOTES = {"open": "open test", "encoder": "over our encoder"}
"""What is said of a score, by the key that says it."""


def _describe(model: str) -> None:
    from fenjie.errors import lines_shown, shown
    from fenjie.runtime.folder import ModelFolder
    from fenjie.runtime.model_files import CARD, FILES

    folder = ModelFolder.open(model)
    typer.echo(shown(f"{folder.name}: {folder.path}"))
    typer.echo(f"{folder.config['task']}, {folder.config['architecture']}; checksums agree")
    if folder.standards:
        typer.echo(f"standards {', '.join(folder.standards)}")
    for file in FILES:
        path = folder.path / file
        if path.is_file():
            typer.echo(f"  {file:<20}{path.stat().st_size:>12,} bytes")
    card = folder.path / CARD
    if card.is_file():
        typer.echo(lines_shown(f"\n{card.read_text(encoding='utf-8', errors='replace')}"), nl=False)


def size_of(folder: Path) -> int:
    """The size of all files of a model, in bytes."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


def f1_scores(folder: Path) -> dict[str, str]:
    """The F1 of each data set in the score table of a model card, as it is written there."""
    from fenjie.runtime.model_files import CARD

    card = folder / CARD
    if not card.is_file():
        return {}
    scores: dict[str, str] = {}
    column: int | None = None
    for line in card.read_text(encoding="utf-8", errors="replace").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if "F1" in cells:
            column = cells.index("F1")
        elif not line.startswith("|"):
            column = None
        elif column is not None and len(cells) > column and set(line) - set("|-: "):
            scores[cells[0].replace("`", "")] = cells[column]
    return scores
