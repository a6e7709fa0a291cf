"""Writes vectors folders: their tables and their card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fenjie.files import atomic
from fenjie.lexicon.units import UnitVectors

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
