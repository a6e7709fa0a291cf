"""An exported network is opened, or an error names the file."""

from __future__ import annotations

import shutil
from pathlib import Path

import onnxruntime
import pytest

import fenjie
from fenjie.errors import FileError
from fenjie.runtime.checksums import seal
from tests.builders import write_endless


def test_a_damaged_network(tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    network = folder / "model.onnx"
    network.write_bytes(network.read_bytes()[:1000])
    with pytest.raises(FileError, match="truncated or altered"):
        fenjie.load(folder)
    seal(folder)
    with pytest.raises(FileError, match="ONNX Runtime cannot load the model"):
        fenjie.load(folder)


@pytest.mark.parametrize(
    "head",
    [
        b'"\x04',
        b'"\x84\x00',
        b'"\x84\x80\x80\x80\x00',
        b"\xa2\x00\x04",
        b"\xa2\x80\x80\x80\x10\x04",
        b"\xa2\x80\x00\x84\x00",
    ],
)
def test_a_program_that_never_ends(head: bytes, tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    write_endless(folder / "model.onnx", head)
    seal(folder)
    onnxruntime.InferenceSession(folder / "model.onnx")  # for ONNX Runtime all is well
    with pytest.raises(FileError, match=r"model\.onnx: the model may never end; .*Loop") as caught:
        fenjie.load(folder)
    assert "\n" not in str(caught.value)


def test_more_threads_than_the_machine_has(tiny_model: Path) -> None:
    text = "商品和服务"
    assert fenjie.load(tiny_model, threads=2**40)(text) == fenjie.load(tiny_model)(text)
