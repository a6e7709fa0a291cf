"""Vectors that others have trained, as tables of a vectors folder."""

from __future__ import annotations

from pathlib import Path

from fenjie.files import atomic
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_files import Report


def import_vectors(files: dict[str, Path], output: Path, report: Report) -> dict[str, UnitVectors]:
    """Make a vectors folder out of word2vec files, text or binary.

    Such files do not say how often a unit was seen, so all counts are 0; their order stays. The
    vectors become int8 a batch at a time: no more of them is held in memory as floats.

    Args:
        files: a file for each table that the folder is to have.
        output: the folder, written whole or not at all.
        report: called with each line that is skipped.

    Returns:
        The tables by name.

    Raises:
        FileError: a file cannot be read or holds no vectors; the folder cannot be written.
    """
    tables = {name: UnitVectors.read(path, report=report) for name, path in files.items()}
    with atomic(output) as made:
        made.mkdir()
        rows = []
        for name, table in tables.items():
            table.save(made, name)
            rows.append(f"| {name} | {files[name].name} | {len(table):,} | {table.dim} |\n")
        head = "| table | file | units | dim |\n|---|---|---:|---:|\n"
        card = f"# Vectors\n\nImported by fenjie.\n\n{head}{''.join(rows)}"
        (made / "README.md").write_text(card, encoding="utf-8", newline="\n")
    return tables
