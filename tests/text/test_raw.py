"""Raw text to learn from: its lines, and what is none."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from fenjie.errors import FileError
from fenjie.text.raw import raw_lines


@pytest.mark.parametrize("pack", [bytes, lzma.compress])
def test_lines_stay_as_they_are(tmp_path: Path, pack: type[bytes]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(pack("今天\u3000天气\r\n\n 好\t\x01".encode()))
    assert list(raw_lines(path)) == ["今天\u3000天气", "", " 好\t\x01"]
    path.write_bytes("今天\n".encode("gb18030"))
    assert list(raw_lines(path, "gb18030")) == ["今天"]


def test_a_nul_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("今天\n天\0气\n".encode())
    lines = raw_lines(path)
    assert next(lines) == "今天"
    with pytest.raises(FileError, match=r"a\.txt:2: holds a NUL character; found '天\\x00气'"):
        next(lines)
