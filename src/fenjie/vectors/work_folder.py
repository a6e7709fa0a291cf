"""The folder in which the making of vectors keeps what is done between runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fenjie.errors import FenjieError
from fenjie.files import refusals


@contextmanager
def work_folder(folder: Path) -> Iterator[None]:
    """Where a run keeps in a folder what it has done: an error says whether that stays.

    A folder that was made for it and holds nothing that was written is removed.

    Args:
        folder: the folder; it need not be there.

    Raises:
        FenjieError: that of the run.
        FileError: the folder cannot be made or written to.
    """
    there = folder.exists()
    try:
        with refusals(folder):
            yield
    except FenjieError as error:
        if not folder.is_dir():
            raise
        if any(file.stat().st_size for file in folder.rglob("*") if file.is_file()):
            said = f"{error} ({folder} keeps what is done: the same command goes on from there)"
            raise FenjieError(said) from error
        if not there:
            shutil.rmtree(folder, ignore_errors=True)
        raise
