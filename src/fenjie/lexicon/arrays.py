"""Arrays in files, opened by memory-mapping."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FileError
from fenjie.files import atomic, check_rereadable, open_bytes

_BEGINNING = b"\x93NUMPY"


def save_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array to a file of its own.

    Raises:
        FileError: the file cannot be written.
    """
    with atomic(path) as made:
        write_array(made, array)


def write_array(made: Path, array: NDArray[Any]) -> None:
    """Write an array to a path that `atomic` gave.

    Raises:
        OSError: the file cannot be written.
    """
    with made.open("wb") as file:
        np.save(file, array, allow_pickle=False)


def open_array(path: Path, what: str) -> NDArray[Any]:
    """Open an array by memory-mapping.

    Args:
        path: the file.
        what: the kind of array, for the error.

    Raises:
        FileError: the file is missing or holds no array.
    """
    try:
        return np.asarray(np.lib.format.open_memmap(path, mode="r"))
    except OSError as error:
        raise FileError(path, f"cannot be opened as {what}: {error.strerror or error}") from error
    except Exception as error:  # of a damaged header numpy raises what Python's own parser raises
        raise FileError(path, f"cannot be opened as {what}: {error}") from error


def is_array(path: str | PathLike[str]) -> bool:
    """Whether a file holds an array.

    Raises:
        FileError: the file cannot be read, or not again after that.
    """
    check_rereadable(path)
    with open_bytes(path) as file:
        return file.read(len(_BEGINNING)) == _BEGINNING
