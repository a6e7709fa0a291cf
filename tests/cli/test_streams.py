"""Lines in as they come, text out at once."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from fenjie.cli.streams import Line, bunches, convert, output
from fenjie.errors import FenjieError, FileError
from fenjie.text.span import Sentence


def lines(path: Path, encoding: str = "utf-8") -> list[Line]:
    return [line for bunch in bunches(str(path), encoding) for line in bunch]


def test_lines_keep_their_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeff一\r\n\n二\x85\u2028\r三".encode())
    assert lines(path) == [
        Line("一", "\r\n", "\ufeff"), Line("", "\n"), Line("二\x85\u2028\r三"),
    ]  # fmt: skip
    path.write_bytes(gzip.compress("一\n".encode("gb18030")))
    assert lines(path, "gb18030") == [Line("一", "\n")]


def test_a_line_may_be_longer_than_what_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("字" * 200_000 + "\n二\n", encoding="utf-8")
    assert [len(line.text) for line in lines(path)] == [200_000, 1]


def test_wrong_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("一\n二\n".encode() + b"\xff\n")
    with pytest.raises(FileError, match=r"a\.txt:3: not utf-8 text; found b'\\xff"):
        lines(path)
    for encoding, message in (("klingon", "unknown encoding"), ("utf-16", "convert it to utf-8")):
        with pytest.raises(FenjieError, match=message):
            lines(path, encoding)


def test_files_are_converted_line_by_line(tmp_path: Path) -> None:
    for name, content in (("a", "一\n二"), ("b", "三\n")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    files = [str(tmp_path / name) for name in "ab"]
    convert(
        files, "utf-8", tmp_path / "out",
        lambda texts: ([Sentence(text), Sentence("。")] for text in texts),
        lambda sentences, line: [*(f"<{sentence.text}>" for sentence in sentences), line.end],
    )  # fmt: skip
    assert (tmp_path / "out").read_text(encoding="utf-8") == "<一><。>\n<二><。>\n<三><。>\n"


def test_an_output_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), output(tmp_path / "out") as write:
        write("half")
        raise RuntimeError
    assert not list(tmp_path.iterdir())
