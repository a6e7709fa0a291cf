"""Files in blocks of whole lines."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.scale import blocks as module
from fenjie.scale.blocks import Block, Line, Place, arriving, blocks, equal, lines_of


def lines(path: Path, encoding: str = "utf-8") -> list[Line]:
    found = blocks([str(path)], arriving)
    return [line for block, _ in found for line in lines_of(block, encoding)]


def test_lines_keep_their_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeff一\r\n\n二\x85\u2028\r三".encode())
    assert lines(path) == [
        Line("一", "\r\n", "\ufeff"), Line("", "\n"), Line("二\x85\u2028\r三"),
    ]  # fmt: skip
    path.write_bytes(gzip.compress("一\n".encode("gb18030")))
    assert lines(path, "gb18030") == [Line("一", "\n")]


def test_an_empty_file_before_a_byte_order_mark(tmp_path: Path) -> None:
    (empty, marked) = (tmp_path / "empty.txt", tmp_path / "marked.txt")
    empty.touch()
    marked.write_text("\ufeff一\n", encoding="utf-8")
    found = blocks([str(empty), str(marked)], arriving)
    assert [line for block, _ in found for line in lines_of(block, "utf-8")] == [
        Line("一", "\n", "\ufeff")
    ]


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


CONTENTS = (
    b"", b"\n", b"one", b"one\n", b"12345678\n", b"1234567\n8", b"\n" * 30, b"1\n" * 9 + b"0" * 30,
    b"0" * 16, b"0" * 17 + b"\n" + b"1" * 40 + b"\n\n2\n", b"0" * 100,
)  # fmt: skip


@pytest.mark.parametrize("content", CONTENTS)
def test_equal_blocks_depend_on_their_place_alone(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SIZE", 8)
    found = list(equal(io.BytesIO(content)))
    assert b"".join(found) == content
    for number, block in enumerate(found):
        rest = content[sum(map(len, found[:number])) :]
        assert next(equal(io.BytesIO(rest))) == block
        assert block.endswith(b"\n") or number == len(found) - 1
        assert len(block) <= 8 or block.count(b"\n") == 1 or number == len(found) - 1


class Pipe(io.BytesIO):
    """Gives at most three bytes at a time."""

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 3, 3))


@pytest.mark.parametrize("content", CONTENTS)
def test_blocks_of_what_arrives_are_whole_lines(content: bytes) -> None:
    found = list(arriving(Pipe(content)))
    assert b"".join(found) == content
    assert all(block.endswith(b"\n") for block in found[:-1])


def test_little_is_read_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SIZE", 1 << 14)
    sizes = [len(block) for block in arriving(io.BytesIO(b"1\n" * (1 << 15)))]
    assert sizes == [1 << 12, 1 << 13, 1 << 14, 1 << 14, 1 << 14, 4096]


@pytest.mark.parametrize("cut", [arriving, equal])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_reading_goes_on_at_any_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: Any, pack: Any
) -> None:
    monkeypatch.setattr(module, "SIZE", 16)
    monkeypatch.setattr(module, "FIRST", 16)
    files = [tmp_path / name for name in "abc"]
    for file, content in zip(files, (b"1\n" * 9 + b"end", b"", b"2\n" * 20 + b"end"), strict=True):
        file.write_bytes(pack(content))
    paths = [str(file) for file in files]
    every = list(blocks(paths, cut))
    content = b"".join(block.content for block, _ in every)
    assert content == b"1\n" * 9 + b"end\n" + b"2\n" * 20 + b"end"
    assert [block.first for block, _ in every].count(True) == 1 and every[0][0].first
    assert every[-1][1].read == sum(file.stat().st_size for file in files)
    for number, (_, reached) in enumerate(every):
        assert list(blocks(paths, cut, list(reached.place))) == every[number + 1 :]
    assert every[-1][1].place == Place(2, 43, 21)


def test_a_byte_order_mark_begins_a_file_alone() -> None:
    content = "\ufeff一\n".encode()
    assert lines_of(Block("a", 1, content, True), "utf-8")[0].before == "\ufeff"
    assert lines_of(Block("a", 2, content, False), "utf-8") == [Line("\ufeff一", "\n")]
