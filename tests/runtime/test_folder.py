"""Model folders: whole, or an error that says what is wrong."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.runtime.folder import CHECKSUMS, ModelFolder, find, seal

CONFIG = 'format = 1\nname = "a"\ntask = "segment"\narchitecture = "sams"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    path.mkdir()
    (path / "config.toml").write_text(CONFIG + "[text]\nlatin = true\n[segment]\natoms = false\n")
    (path / "vocab.txt").write_text("商\n品\n", encoding="utf-8")
    (path / "model.onnx").write_bytes(b"0123456789")
    seal(path)
    return path


def test_open(folder: Path) -> None:
    model = ModelFolder.open(folder)
    assert (model.path, model.name, model.keeps_unsplittable) == (folder, "a", False)
    assert model.normaliser.latin
    assert model.indexer("品?").tolist() == [[3], [1]]


def test_the_sums_are_those_of_sha256sum(folder: Path) -> None:
    lines = (folder / CHECKSUMS).read_text().splitlines()
    digest = hashlib.sha256((folder / "vocab.txt").read_bytes()).hexdigest()
    assert f"{digest}  vocab.txt" in lines
    assert len(lines) == 3


@pytest.mark.parametrize("content", [b"01234", b"0123456780", b""])
def test_a_truncated_or_altered_file(folder: Path, content: bytes) -> None:
    (folder / "model.onnx").write_bytes(content)
    with pytest.raises(FileError, match=r"model\.onnx: .*truncated or altered; found 'SHA-256"):
        ModelFolder.open(folder)


@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt", "config.toml", CHECKSUMS])
def test_a_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(FileError, match=name):
        ModelFolder.open(folder)


def test_a_file_that_is_not_listed(folder: Path) -> None:
    (folder / "bigrams.txt").write_text("商品\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"bigrams\.txt: not listed"):
        ModelFolder.open(folder)


def test_damaged_checksums(folder: Path) -> None:
    (folder / CHECKSUMS).write_bytes(b"0" * 64 + b"  ../../etc/passwd\n")
    with pytest.raises(FileError, match=r"checksums\.txt:1: not a checksum"):
        ModelFolder.open(folder)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("format = [", "not TOML"),
        ("format = 2\n", "cannot read; found 'format = 2'; expected format = 1"),
        ("format = 1\n", "'name' is missing"),
        (CONFIG + "text = 1\n", r"\[text\] is not a table"),
        (CONFIG + "[text]\nwith = true\n", r"unknown key in \[text\]: 'with'"),
    ],
)
def test_a_config_that_cannot_be_read(folder: Path, config: str, message: str) -> None:
    (folder / "config.toml").write_text(config)
    seal(folder)
    with pytest.raises(FileError, match=message):
        ModelFolder.open(folder)


def test_a_model_that_is_nowhere(tmp_path: Path) -> None:
    with pytest.raises(FenjieError, match="no model 'nowhere'"):
        find("nowhere")
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(FileError, match="is not a folder"):
        find(file)


def test_a_folder_without_an_export(folder: Path) -> None:
    (folder / "model.onnx").unlink()
    seal(folder)
    with pytest.raises(FileError, match="no such file; `fenjie export` makes it"):
        ModelFolder.open(folder).file("model.onnx")
