"""A vectors folder, its tables and its card: opened and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fenjie.errors import FileError
from fenjie.files import atomic
from fenjie.lexicon.units import TABLES, UnitVectors
from fenjie.vectors.texts import Prepared

CARD = "README.md"
"""The file that names the sources of the tables."""

_FILES = {CARD} | {
    f"{name}{end}" for name in TABLES for end in (".npy", ".txt", ".scale.npy", ".index.npy")
}
"""All that a vectors folder may hold."""


def open_tables(folder: Path) -> dict[str, UnitVectors]:
    """The tables of a vectors folder by their names, in the order of `TABLES`.

    Raises:
        FileError: it is no folder, holds none, or one of them is damaged.
    """
    if not folder.is_dir():
        raise FileError(folder, "is no folder", expected="one of `fenjie vectors train`")
    names = [name for name in TABLES if (folder / f"{name}.npy").exists()]
    if not names:
        raise FileError(folder, "holds no vectors", expected="a folder of `fenjie vectors train`")
    return {name: UnitVectors.open(folder, name) for name in names}


def check_output(output: Path) -> None:
    """Check that a vectors folder may be written, before anything takes long.

    Raises:
        FileError: there is no folder to write it in; or something else is there than vectors
            alone, which would be lost.
    """
    if not output.absolute().parent.is_dir():
        raise FileError(output.absolute().parent, "no such folder")
    if not output.exists():
        return
    expected = "a new folder, or one of vectors alone"
    names = {path.name for path in output.iterdir()} if output.is_dir() else set[str]()
    if not any(f"{name}.npy" in names for name in TABLES):
        raise FileError(output, "exists already", expected=expected)
    if others := sorted(names - _FILES):
        raise FileError(output, "holds another file", found=others[0], expected=expected)


def write_folder(output: Path, tables: Mapping[str, UnitVectors], card: str) -> None:
    """Write a vectors folder, its tables by name and its card, whole or not at all.

    Raises:
        FileError: the file system refuses; an older folder is untouched.
    """
    with atomic(output) as made:
        made.mkdir()
        for name, table in tables.items():
            table.save(made, name)
        (made / CARD).write_text(card, encoding="utf-8", newline="\n")


def card(
    texts: Sequence[Prepared],
    tables: Mapping[str, UnitVectors],
    minutes: Mapping[str, str],
    about: str,
    command: str,
) -> str:
    """The README of a vectors folder that was made from texts.

    Args:
        texts: the texts.
        tables: the tables by name.
        minutes: the time that each table took.
        about: the method and its settings.
        command: the command as typed.
    """
    lines = ["# Vectors", "", "Made by fenjie from raw text.", "", "```sh", command, "```", ""]
    lines += ["| table | units | dim | least count | minutes |", "|---|---:|---:|---:|---:|"]
    for name, table in tables.items():
        least = int(table.units.counts.min())
        lines.append(f"| {name} | {len(table):,} | {table.dim} | {least:,} | {minutes[name]} |")
    lines += ["", "| text | lines | characters | SHA-256 begins with |", "|---|---:|---:|---|"]
    for text in texts:
        lines.append(f"| {text.name} | {text.lines:,} | {text.characters:,} | `{text.key}` |")
    total = [sum(text.lines for text in texts), sum(text.characters for text in texts)]
    lines.append(f"| together | {total[0]:,} | {total[1]:,} | |")
    return "\n".join([*lines, "", about, ""])
