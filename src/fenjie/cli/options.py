"""Arguments and options of several commands."""

from __future__ import annotations

import math
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Annotated

import typer

from fenjie.errors import FenjieError, FileError
from fenjie.scale.blocks import STANDARD


def path(text: str) -> Path:
    """A path that is given; pathlib takes an empty one for the folder one is in."""
    if not text:
        raise typer.BadParameter("empty; expected a path")
    return Path(text)


def file(text: str) -> Path:
    """The path of a file that is to be written: a folder would refuse it when all is done."""
    if (found := path(text)).is_dir():
        raise typer.BadParameter(f"{found} is a folder; expected the path of a file")
    return found


def check_not_read(output: Path, read: Iterable[str | PathLike[str]]) -> None:
    """Raise a FileError where a file that is written would take the place of one that is read."""
    if output.exists() and any(Path(one).exists() and output.samefile(one) for one in read):
        message = "is read and would be replaced; expected another --output"
        raise FileError(output, message)


def no_nan(value: float) -> float:
    """A number that is one: the check of its range lets NaN pass."""
    if math.isnan(value):
        raise typer.BadParameter("nan is no number")
    return value


def share_of_all(value: float) -> float:
    """A share that is more than nothing: typer's own ranges have both of their ends."""
    if not 0 < value <= 1:
        raise typer.BadParameter(f"{value} is not in the range 0<x<=1.")
    return value


def named(name: str | None) -> str | None:
    """A model that is given by its name or path; one that is empty is none."""
    if name == "":
        raise typer.BadParameter("empty; expected a shipped model, or a model folder")
    return name


def column_name(name: str | None) -> str | None:
    """The name of a column that is added; one that is empty is none."""
    if name == "":
        raise typer.BadParameter("empty; expected the name of a column")
    return name


Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE…|-]", help="Text files, plain, gzip or xz; - or none for standard input."
    ),
]
Model = Annotated[
    str, typer.Option("--model", "-m", help="A shipped model, or a model folder.", callback=named)
]


STANDARD_OUTPUT = {Path(name) for name in (STANDARD, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")}
"""Names of standard output. A file behind it is the shell's: it is written to, not replaced."""


def _written(path: Path | None) -> Path | None:
    """The file that is written; None for standard output, which `-` is as it is standard input."""
    return None if path in STANDARD_OUTPUT else path


Packed = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="A file, written whole or not at all, packed if its name ends in .gz or .xz; - or "
        "none for standard output.",
        parser=file,
        callback=_written,
    ),
]
RecipeFile = Annotated[Path, typer.Argument(help="The recipe, a TOML file.", parser=path)]
RunFolder = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The run's folder; runs/RECIPE without it.", parser=path),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="columns, spaced, conllu, weibo, jsonl, doccano, label-studio or brat; guessed "
        "without it.",
    ),
]
Standard = Annotated[
    str | None,
    typer.Option(
        help="The standard by which words are cut, of a model that knows several; `fenjie models` "
        "lists them. Without it the model's first."
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Find the user words wherever they occur, against the model."),
]


class LabelList(tuple[str, ...]):
    """Labels that are given as one text, with commas between them."""

    @classmethod
    def read(cls, text: str) -> LabelList:
        """Divide the text; spaces around a label are no part of it."""
        return cls(label.strip() for label in text.split(","))


Labels = Annotated[
    LabelList | None,
    typer.Option(
        metavar="LABEL,LABEL…",
        help="The types of entities that are written, such as PER,LOC,ORG; all without it.",
        parser=LabelList.read,
    ),
]


def user_words(file: Path | None, force: bool) -> Path | tuple[()]:
    """The user words of a tagger: those of a file, or none.

    Raises:
        FenjieError: none are to be forced.
    """
    if force and file is None:
        raise FenjieError("--force is for user words; expected --words FILE")
    return () if file is None else file


Encoding = Annotated[str, typer.Option(help="Encoding of the files: utf-8, gb18030 or another.")]


Threads = Annotated[
    int,
    typer.Option(min=1, help="Number of threads; at most as many as the machine has."),
]

Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="Number of processes that share the work; at most as many as the machine has "
        "processors.",
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Write the file so that this command, after it was stopped or killed, goes on where "
        "it was. Nothing is lost or done twice: the file has the same bytes in the end.",
    ),
]
Column = Annotated[
    str | None,
    typer.Option(
        help="The column of a table (JSONL, CSV, TSV, Parquet, by the name of the file) that holds "
        "the texts; text without it. With it, standard input is JSONL.",
    ),
]
Into = Annotated[
    str | None,
    typer.Option(
        help="The column that is added to a table; words, or entities, without it.",
        callback=column_name,
    ),
]
