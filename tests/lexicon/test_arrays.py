"""Arrays in files of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FileError
from fenjie.lexicon.arrays import is_array, open_array, save_array


def test_an_array_is_opened_as_it_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "some.npy"
    save_array(path, np.arange(6, dtype=np.int16).reshape(2, 3))
    opened = open_array(path, "numbers")
    assert opened.dtype == np.int16
    assert opened.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert isinstance(opened.base, np.memmap)  # read from the disk as it is needed
    with pytest.raises(ValueError, match="read-only"):
        opened[0, 0] = 9


def test_a_file_of_something_else_is_no_array(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("中国\n", encoding="utf-8")
    save_array(tmp_path / "some.npy", np.zeros(1))
    assert is_array(tmp_path / "some.npy")
    assert not is_array(tmp_path / "words.txt")
    np.savez(tmp_path / "some.npz", np.zeros(1))
    for name, reason in {
        "words.txt": "EOF: reading magic string",
        "some.npz": "the magic string is not correct",
        "missing.npy": "No such file or directory$",
    }.items():
        with pytest.raises(FileError, match=f"{name}: cannot be opened as numbers: {reason}"):
            open_array(tmp_path / name, "numbers")


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "some.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(FileError, match="cannot be opened as numbers"):
        open_array(tmp_path / "some.npy", "numbers")
