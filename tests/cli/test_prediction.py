"""Predictions by an export where there is one, else by PyTorch."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import fenjie
from fenjie.cli.prediction import predict
from fenjie.errors import FileError
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder

TEXTS = ["商品和服务，他说的确实在理。", "", "市场价格"]


def test_both_ways_find_the_same(tiny_ner: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_ner, folder)
    (folder / "model.onnx").unlink()
    seal(folder)
    expected = fenjie.load(tiny_ner)(TEXTS)
    assert any(sentence.spans for sentence in expected)
    assert predict(ModelFolder.open(tiny_ner), TEXTS) == expected
    assert predict(ModelFolder.open(folder), TEXTS) == expected


def test_a_model_that_numpy_runs() -> None:
    expected = fenjie.load("segment-fast")(TEXTS)
    assert predict(ModelFolder.open("segment-fast"), TEXTS) == expected


def test_without_export_and_pytorch(
    tiny_ner: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_ner, folder)
    (folder / "model.onnx").unlink()
    seal(folder)
    monkeypatch.delitem(sys.modules, "fenjie.store.load", raising=False)
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    with pytest.raises(FileError, match=r"model\.onnx: is missing, and without it .* is needed"):
        predict(ModelFolder.open(folder), TEXTS)
