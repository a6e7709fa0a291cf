"""A pre-training run that goes on from the encoder of another."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import torch
from safetensors.torch import load_file, save_file

from fenjie.errors import FenjieError, FileError
from fenjie.nn.encoders.hugging_face import open_encoder
from fenjie.pretraining.settings import EncoderSizes
from fenjie.pretraining.starting_encoder import read_start
from tests.pretraining.tiny_run import RECIPE, run

SIZES = EncoderSizes(50, 16, 2, 2, 32, 16)
START = 'start = "first/encoder"\n'


@pytest.mark.slow
def test_go_on_with_other_text(folder: Path) -> None:
    first = run("first")
    (folder / "other.txt").write_text("上海的大学，鬱鬱鬱\n" * 100, encoding="utf-8")
    other = (START + RECIPE).replace("text.txt", "other.txt")
    second = run("second", other)
    one, two = (open_encoder(str(path)) for path in (first, second))
    assert two.tokenizer == one.tokenizer, "鬱 is unknown"
    assert "It goes on from `first/encoder`" in (second / "README.md").read_text("utf-8")
    near = run("near", other.replace("0.004", "0.0001").replace("warmup = 5", "warmup = 1000"))
    before, after = (load_file(path / "model.safetensors") for path in (first, near))
    assert before.keys() == after.keys() and "bias" in before and "heads.1.0.weight" in before
    assert all(torch.allclose(before[name], after[name], atol=2e-3) for name in before)


@pytest.mark.slow
def test_the_same_text_comes_in_another_order(folder: Path) -> None:
    first = run("first", RECIPE)
    second = run("second", START + RECIPE)
    assert (first / "model.safetensors").read_bytes() != (second / "model.safetensors").read_bytes()
    with pytest.raises(FenjieError, match=r"another recipe: start was 'first/encoder', now ''"):
        run("second", RECIPE, resume=True)


def test_other_sizes(folder: Path) -> None:
    run("first")
    for name, message in [
        ("layers = 2", "num_hidden_layers is not that .*; found 2; expected 3"),
        ("dim = 16", r"hidden_size is not that .*; found 32; expected 64"),
        ("characters = 50", r"has more characters than .*; found \d+; expected at most 3"),
    ]:
        key = name.partition(" ")[0]
        changed = {"layers": "layers = 3", "dim": "dim = 32", "characters": "characters = 3"}[key]
        with pytest.raises(FileError, match=message):
            run("second", START + RECIPE.replace(name, changed))
        assert not (folder / "second").exists()


def test_no_such_folder(folder: Path) -> None:
    with pytest.raises(FenjieError, match=r"first/encoder/model\.safetensors: no such file"):
        run("second", START + RECIPE)
    (folder / "first/encoder").mkdir(parents=True)
    (folder / "first/encoder/model.safetensors").write_bytes(b"0")
    with pytest.raises(FileError, match=r"first/encoder: is no encoder that `fenjie pretrain`"):
        run("second", START + RECIPE)


def test_weights_without_what_predicts(folder: Path) -> None:
    encoder = run("first")
    weights = load_file(encoder / "model.safetensors")
    del weights["heads.0.0.weight"]
    save_file(weights, encoder / "model.safetensors")
    assert read_start(encoder, SIZES).weights.keys() == weights.keys()
    with pytest.raises(FileError, match=r"heads\.0\.0\.weight does not fit .*found 'none'"):
        run("second", START + RECIPE)
