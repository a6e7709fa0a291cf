"""Weights in few bits, for other models to start from."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("safetensors", reason="needs the extra `train`")

import onnx
import torch
from onnx import numpy_helper
from safetensors.torch import load_file, save_file

from fenjie.errors import FileError
from fenjie.lexicon.number_types import quantised
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.model_files import CONFIG, ONNX, START, WEIGHTS
from fenjie.tasks.weights import compact, read_weights, restored, write_start


def weights() -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    table = torch.randn(1000, 20)
    table[0] = 0
    return {
        "embedding.characters.weight": table,
        "embedding.characters.fixed": torch.randn(900, 20).half(),
        "embedding.words.weight": torch.randn(10, 20),
        "output.bias": torch.randn(5),
        "long": torch.randn(10_000, 2),
    }


@pytest.fixture
def folder(tmp_path: Path) -> ModelFolder:
    config = 'format = 1\nname = "a"\ntask = "ner"\narchitecture = "flat"\n'
    (tmp_path / CONFIG).write_text(config)
    (tmp_path / "vocab.txt").write_text("好\n")
    save_file(weights(), tmp_path / WEIGHTS)
    seal(tmp_path)
    return ModelFolder.open(tmp_path)


def test_what_is_restored_is_close() -> None:
    given, small = weights(), compact(weights())
    dtypes = {name: tensor.dtype for name, tensor in small.items()}
    assert dtypes["embedding.characters.weight"] == torch.int8
    assert dtypes["output.bias"] == dtypes["long"] == torch.float16
    found = restored(small)
    assert found.keys() == given.keys()
    for name, tensor in given.items():
        torch.testing.assert_close(found[name].float(), tensor.float(), rtol=1e-3, atol=0.02)
    assert (found["embedding.characters.weight"][0] == 0).all()


def test_the_small_copy_serves_where_the_weights_are_missing(folder: ModelFolder) -> None:
    full = read_weights(folder)
    assert "embedding.words.weight" not in full and len(full) == 4
    size = write_start(folder)
    assert size == (folder.path / START).stat().st_size < (folder.path / WEIGHTS).stat().st_size / 2
    (folder.path / WEIGHTS).unlink()
    seal(folder.path)
    small = read_weights(ModelFolder.open(folder.path))
    assert small.keys() == full.keys()
    with pytest.raises(FileError, match=r"model\.safetensors: the model has no such file"):
        write_start(folder)


def test_no_weights_and_damaged_ones(folder: ModelFolder) -> None:
    (folder.path / WEIGHTS).write_bytes(b"nothing")
    with pytest.raises(FileError, match="is damaged"):
        read_weights(folder)
    (folder.path / WEIGHTS).unlink()
    expected = r"has no weights to start from; expected model\.safetensors or start\.safetensors"
    with pytest.raises(FileError, match=expected):
        read_weights(folder)


def test_bigrams_that_the_export_has_are_not_written_again(folder: ModelFolder) -> None:
    table = torch.randn(60, 10)
    rows, scale = quantised(table.numpy())
    tensors = weights() | {
        "embedding.bigrams.weight": table[:50],
        "embedding.bigrams.fixed": table[50:].half(),
    }
    save_file(tensors, folder.path / WEIGHTS)
    constants = [
        numpy_helper.from_array(rows, "constant.int8"),
        numpy_helper.from_array(scale[:, None], "constant.scale"),
    ]
    graph = onnx.helper.make_graph([], "a", [], [], constants)
    onnx.save_model(onnx.helper.make_model(graph), folder.path / ONNX)
    with (folder.path / CONFIG).open("a") as config:
        config.write("[input]\nbigrams = [50, 10, 10]\n")
    seal(folder.path)
    opened = ModelFolder.open(folder.path)
    write_start(opened)
    assert not any("bigrams" in name for name in load_file(folder.path / START))
    (folder.path / WEIGHTS).unlink()
    found = read_weights(opened)
    torch.testing.assert_close(found["embedding.bigrams.weight"], table[:50], rtol=0, atol=0.03)
    assert found["embedding.bigrams.fixed"].dtype == torch.float16
    # Of another model, they are written.
    save_file(tensors | {"embedding.bigrams.weight": table[:50] + 1}, folder.path / WEIGHTS)
    write_start(opened)
    assert "embedding.bigrams.weight" in load_file(folder.path / START)
