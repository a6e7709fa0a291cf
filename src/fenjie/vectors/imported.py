"""Imports vectors that others have trained."""

from __future__ import annotations

from pathlib import Path

from fenjie.errors import FileError
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_files import Report
from fenjie.vectors.vectors_folder import write_folder


def import_vectors(files: dict[str, Path], output: Path, report: Report) -> dict[str, UnitVectors]:
    """Write a vectors folder from word2vec files, text or binary.

    Such files hold no counts of units, so all counts are 0; their order stays. The
    vectors become int8 a batch at a time: no more of them is held in memory as floats. Lines that
    are skipped are reported.

    Raises:
        FileError: a file cannot be read or holds no vectors; the folder cannot be written.
    """
    tables = {name: UnitVectors.read(path, report=report) for name, path in files.items()}
    for name, table in tables.items():
        if not len(table):
            raise FileError(files[name], "holds no vectors")
    rows = [
        f"| {name} | {files[name].name} | {len(table):,} | {table.dim} |\n"
        for name, table in tables.items()
    ]
    head = "| table | file | units | dim |\n|---|---|---:|---:|\n"
    write_folder(output, tables, f"# Vectors\n\nImported by fenjie.\n\n{head}{''.join(rows)}")
    return tables
