"""Writes vectors folders: their tables and their card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fenjie.files import atomic
from fenjie.lexicon.units import UnitVectors
from fenjie.vectors.texts import Prepared

CARD = "README.md"
"""The file that names the sources of the tables."""


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
