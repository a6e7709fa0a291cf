"""Raw text as one long row of ids."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tokenizers", reason="needs the extra `bert`")

from fenjie.errors import FileError
from fenjie.pretraining.packed_text import BEGIN, END, UNKNOWN, PackedText, normalised, pack


def text(packed: PackedText) -> str:
    """The text that ids stand for, `?` where they are unknown."""
    names = ["", "?", "", "\n", "", *packed.characters]
    return "".join(names[number] for number in packed.ids)


def test_lines_follow_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("我在 北京，\n\n \nＡ京京\r\n", encoding="utf-8")
    (tmp_path / "b.txt.xz").write_bytes(lzma.compress("京在㎏".encode()))
    packed = pack([tmp_path / "a.txt", tmp_path / "b.txt.xz"], 100, "utf-8")
    assert text(packed) == "我在北京,\nA京京\n京在kg\n"
    assert packed.characters[:2] == ("京", "在") and packed.ids.dtype == np.uint16


def test_rare_and_unprintable_characters_are_unknown(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("好\x01好\x01\x01\x01好天天😀\n".encode())
    packed = pack([tmp_path / "a.txt"], 2, "utf-8")
    assert text(packed) == "好?好???好天天?\n" and packed.characters == ("好", "天")


def test_rows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("一二三四五六七八九\n", encoding="utf-8")
    packed = pack([tmp_path / "a.txt"], 9, "utf-8")
    assert packed.rows(6) == 2
    batch = packed.batch(np.array([1, 0]), 6)
    assert batch.shape == (2, 6) and (batch[:, 0] == BEGIN).all() and (batch[:, -1] == END).all()
    assert batch[:, 1:-1].tolist() == [packed.ids[4:8].tolist(), packed.ids[:4].tolist()]


def test_a_line_of_any_length(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("天地人" * 1_000_000, encoding="utf-8")
    packed = pack([tmp_path / "a.txt"], 9, "utf-8")
    assert len(packed.ids) == 3_000_001 and packed.ids[-1] == END
    assert UNKNOWN not in packed.ids


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("好\n".encode() + "好好\n".encode("gb18030"), r"a\.txt:2: not utf-8 text; found "),
        (b"a\n\0b\n", r"a\.txt:2: holds a NUL character; found '\\x00b'; expected utf-8 text"),
        (b" \n\n", r"a\.txt: holds no text"),
        (b"\xfd7zXZ\x00nonsense", r"a\.txt: "),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(FileError, match=message):
        pack([tmp_path / "a.txt"], 10, "utf-8")


def test_a_given_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("好天好", encoding="utf-8")
    packed = pack([tmp_path / "a.txt"], 10, "utf-8", ["地", "好"])
    assert text(packed) == "好?好\n" and packed.characters == ("地", "好")


def test_nothing_to_learn(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\x01\x01\x01\n")
    with pytest.raises(FileError, match="no character that can be learnt"):
        pack([tmp_path / "a.txt"], 10, "utf-8")


def test_normalised() -> None:
    assert normalised(" Ｃ ＰＵ　①\u3000é ") == "CPU1é"
