"""Vectors folders are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FenjieError
from fenjie.lexicon.units import UnitVectors
from fenjie.vectors.vectors_folder import CARD, holds_vectors, write_folder

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


def test_a_folder_of_vectors_is_known(tmp_path: Path) -> None:
    write_folder(tmp_path / "made", {"words": TABLE}, "")
    assert holds_vectors(tmp_path / "made")
    (tmp_path / "made" / "config.toml").touch()
    assert not holds_vectors(tmp_path / "made"), "a model has a table of words, too"
    (tmp_path / "other.npy").touch()
    assert not holds_vectors(tmp_path)
