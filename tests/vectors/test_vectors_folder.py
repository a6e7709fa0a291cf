"""Vectors folders are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.lexicon.units import UnitVectors
from fenjie.vectors.vectors_folder import CARD, check_output, write_folder

TABLE = UnitVectors.build(["北", "京"], [2, 1], np.eye(2))


def test_tables_and_card(tmp_path: Path) -> None:
    write_folder(tmp_path / "made", {"characters": TABLE}, "# 向量\n")
    assert (tmp_path / "made" / CARD).read_text(encoding="utf-8") == "# 向量\n"
    assert UnitVectors.open(tmp_path / "made", "characters").units.names == ["北", "京"]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    class Broken(UnitVectors):
        def save(self, folder: object, name: str) -> None:
            raise FenjieError("no room")

    broken = Broken(TABLE.table, TABLE.scale, TABLE.index, lambda: TABLE.units)
    with pytest.raises(FenjieError, match="no room"):
        write_folder(tmp_path / "made", {"characters": TABLE, "words": broken}, "")
    assert not list(tmp_path.iterdir())


def test_a_folder_with_other_files_is_not_replaced(tmp_path: Path) -> None:
    made = tmp_path / "made"
    check_output(made)
    write_folder(made, {"characters": TABLE, "bigrams": TABLE, "words": TABLE}, "")
    check_output(made)
    (made / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(FileError, match=r"made: holds another file; found 'thesis\.txt'"):
        check_output(made)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "figures.npy").touch()
    for output in (tmp_path / "papers", made / CARD):
        with pytest.raises(FileError, match="exists already"):
            check_output(output)
    with pytest.raises(FileError, match="nowhere: no such folder"):
        check_output(tmp_path / "nowhere" / "made")
