"""Components of characters, read from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FileError
from fenjie.lexicon.components import Components
from fenjie.text.vocabulary import UNKNOWN


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "components.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_of_components(tmp_path: Path) -> None:
    path = written(tmp_path, "渡\t水 广 廿 又\n明\t日 月\t目 月\n\n日\t日\n")
    found = Components.read(path)
    assert found.units.units == tuple(sorted("水广廿又日月"))
    assert found.most == 4
    ids = dict(zip(found.units.units, range(2, 8), strict=True))
    table = found.table("明甲月")
    assert table.dtype == np.int64
    assert table[2].tolist() == [ids["日"], ids["月"], 0, 0]
    # One that the file does not have is its own component where others have it, else unknown.
    assert table[4].tolist() == [ids["月"], 0, 0, 0]
    assert table[:2].tolist() == [[UNKNOWN, 0, 0, 0]] * 2 and table[3, 0] == UNKNOWN


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("明 日 月\n", r"components\.txt:1: not a character and its components"),
        ("明\t日 月\n明天\t日 月\n", r"components\.txt:2: not a character and its components"),
        ("明\t \n", r"components\.txt:1: not a character"),
        ("明\t日 月\n明\t日 月\n", r"components\.txt:2: a character is named again"),
        ("\n", "no components in it"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        Components.read(written(tmp_path, text))
