"""`fenjie explain`: draw the lattice that a model reads and the keys that its attention keeps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated, Any

import typer

from fenjie.cli.options import Model, file

app = typer.Typer(
    help="Draw the words that a model sees in a text, and its attention.", no_args_is_help=True
)

Text = Annotated[str, typer.Argument(help="A sentence.")]
Svg = Annotated[Path | None, typer.Option(help="Write the picture to this file, too.", parser=file)]


@app.command()
def lattice(text: Text, model: Model = "ner", svg: Svg = None) -> None:
    """Draw the lattice: the characters in a row, and each word found under those it covers."""
    from rich.text import Text as Shown

    from fenjie.cli.pictures import lattice_blocks, lattice_svg
    from fenjie.errors import shown
    from fenjie.progress import Screen
    from fenjie.runtime.folder import ModelFolder
    from fenjie.views.views import characters_of, words_of

    folder = ModelFolder.open(model)
    seen = characters_of(folder, text)
    words, characters = words_of(folder, text), list(shown("".join(seen)))
    console, width = Screen(), get_terminal_size().columns  # in a file too, pictures have a width
    for number, block in enumerate(lattice_blocks(characters, words, width)):
        if number:
            console.print()
        for row, line in enumerate(block):
            console.print(Shown(line, style="" if row else "bold"), no_wrap=True, crop=False)
    if svg is not None:
        _write(svg, lattice_svg(characters, words))


@app.command()
def attention(
    text: Text,
    model: Annotated[
        str,
        typer.Option(
            "--model", "-m", help="A model folder with its weights, as training leaves it."
        ),
    ],
    head: Annotated[int, typer.Option(min=1, help="The head that is drawn.")] = 1,
    layer: Annotated[
        int | None, typer.Option(min=1, help="The layer; without it the last one.")
    ] = None,
    svg: Svg = None,
) -> None:
    """Draw the keys that each query keeps in a head, and count those of every head. Needs torch."""
    from fenjie.cli.pictures import attention_lines, attention_svg
    from fenjie.runtime.folder import ModelFolder
    from fenjie.views.views import attention_of

    found = attention_of(ModelFolder.open(model), text)
    weights = _chosen(found.layers, layer or len(found.layers), "layer")
    for number, one in enumerate(weights, 1):
        kept = sum(weight > 0 for row in one for weight in row) / len(one)
        typer.echo(f"head {number} keeps {kept:.1f} of {len(one[0])} keys per query")
    drawn = _chosen(weights, head, "head")
    queries, keys = found.names[: len(drawn)], found.names[: len(drawn[0])]
    typer.echo(f"\nhead {head}")
    for line in attention_lines(queries, keys, drawn):
        typer.echo(line)
    if svg is not None:
        _write(svg, attention_svg(queries, keys, drawn))


def _chosen(things: Sequence[Any], number: int, name: str) -> Any:
    from fenjie.errors import FenjieError

    if number > len(things):
        raise FenjieError(f"there is no {name} {number}; the model has {len(things)}")
    return things[number - 1]


def _write(path: Path, text: str) -> None:
    from fenjie.files import atomic

    with atomic(path) as file:
        file.write_text(text, encoding="utf-8", newline="\n")
