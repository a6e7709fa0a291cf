"""The checksums of a model folder."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from fenjie.errors import FileError
from fenjie.runtime.checksums import renewed, seal, verify
from fenjie.runtime.model_files import CHECKSUMS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    path.mkdir()
    for name, content in {
        "config.toml": b"",
        "vocab.txt": b"a",
        "model.onnx": b"0123456789",
    }.items():
        (path / name).write_bytes(content)
    seal(path)
    return path


def test_the_sums_are_those_of_sha256sum(folder: Path) -> None:
    lines = (folder / CHECKSUMS).read_text().splitlines()
    digest = hashlib.sha256((folder / "vocab.txt").read_bytes()).hexdigest()
    assert f"{digest}  vocab.txt" in lines
    assert len(lines) == 3


@pytest.mark.parametrize("content", [b"01234", b"0123456780", b""])
def test_a_truncated_or_altered_file(folder: Path, content: bytes) -> None:
    (folder / "model.onnx").write_bytes(content)
    with pytest.raises(FileError, match=r"model\.onnx: .*truncated or altered; found 'SHA-256"):
        verify(folder)


@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt", "config.toml", CHECKSUMS])
def test_a_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(FileError, match=name):
        verify(folder)


def test_a_file_that_is_not_listed(folder: Path) -> None:
    (folder / "bigrams.txt").write_text("商品\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"bigrams\.txt: not listed"):
        verify(folder)


def test_damaged_checksums(folder: Path) -> None:
    (folder / CHECKSUMS).write_bytes(b"0" * 64 + b"  ../../etc/passwd\n")
    with pytest.raises(FileError, match=r"checksums\.txt:1: not a checksum"):
        verify(folder)


def test_new_files_take_their_places_sealed_or_not_at_all(folder: Path) -> None:
    def content() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    before = content()
    with pytest.raises(KeyboardInterrupt), renewed(folder) as new:
        (new / "model.onnx").write_bytes(b"half")
        raise KeyboardInterrupt
    assert content() == before
    (folder / "model.onnx").chmod(0o640)
    with renewed(folder) as new:
        (new / "model.onnx").write_bytes(b"another")
        (new / "README.md").write_bytes(b"new")
        assert content() == before
    after = content()
    assert len(after) == len(list(folder.iterdir()))
    assert (after["model.onnx"], after["README.md"]) == (b"another", b"new")
    assert (folder / "model.onnx").stat().st_mode & 0o777 == 0o640
    assert after.keys() == before.keys() | {"README.md"}
    verify(folder)


def test_a_pipe_in_place_of_a_file(folder: Path) -> None:
    (folder / "model.onnx").unlink()
    os.mkfifo(folder / "model.onnx")
    with pytest.raises(FileError, match=r"model\.onnx: is not a file"):
        verify(folder)
