"""Training runs from end to end: what a run leaves behind, and what it refuses."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

import numpy as np
import torch
from rich.console import Console
from safetensors.numpy import load_file
from typer.testing import CliRunner

from fenjie.cli import app
from fenjie.errors import FenjieError, FileError
from fenjie.export import export
from fenjie.files import sha256
from fenjie.recipe.recipe import load, loads
from fenjie.runtime.folder import ModelFolder
from fenjie.store.load import predict
from fenjie.training.run import run_training
from tests.command_line import fenjie
from tests.integration.tiny_run import RECIPE, assert_same, sentences, train


def test_a_run(recipe: Path) -> None:
    result = train(recipe, "out")
    out = Path("out")
    assert (out / "recipe.toml").read_bytes() == recipe.read_bytes()
    assert list((out / "tensorboard").iterdir())

    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    losses = [line["loss"] for line in log if "loss" in line]
    assert losses[-1] < losses[0] / 2
    scores = {line["step"]: line["dev"]["f1"] for line in log if "dev" in line}
    best = max(scores, key=lambda step: (scores[step], step))
    assert (result.step, result.dev.f1) == (best, scores[best])
    assert [line["step"] for line in log if line.get("best")][-1] == best
    assert result.dev.f1 > 0.8

    written = json.loads((out / "scores.json").read_text())
    assert written["test"]["test.txt"] == result.test["test.txt"].as_dict()
    assert result.test["test.txt"].f1 > 0.8

    folder = ModelFolder.open(result.model)
    assert folder.name == "tiny"
    card = (folder.path / "README.md").read_text(encoding="utf-8")
    for part in ("`train.txt`, `more.jsonl`", "fenjie train tiny.toml", "seed 1", "torch", "dim ="):
        assert part in card
    assert f"| `test.txt` | {100 * result.test['test.txt'].precision:.2f} |" in card
    text = "今天 天气很好，他说的确实在理。"
    (sentence,) = predict(folder, [text])
    assert sentence.tiled and sentence.text == text
    assert " " in sentence.words


@pytest.mark.slow
def test_evaluate(recipe: Path) -> None:
    """With PyTorch and with the export, the scores of a run come out again."""
    result = train(recipe, "out")
    scores = result.test["test.txt"]
    command = ["evaluate", str(result.model), "test.txt", "--words"]

    def evaluate(*options: str) -> str:
        done = CliRunner().invoke(app, [*command, *options], env={"COLUMNS": "200"})
        assert done.exit_code == 0, done.output
        return done.output

    more = sorted({word for words in sentences(40, 3) for word in words} | {" "})
    known = sorted({word for words in sentences(150, 1) for word in words} | set(more))
    Path("words.txt").write_text("".join(f"{word}\n" for word in known), encoding="utf-8")
    found = json.loads(evaluate("words.txt", "--json", "--errors", "3"))
    assert found.items() >= scores.as_dict().items()
    assert len(found["errors"]["confusions"]) <= 3
    assert json.loads(evaluate("train.txt", "--json"))["f1"] == scores.f1
    export(ModelFolder.open(result.model).path)
    assert json.loads(evaluate("words.txt", "--json")).items() >= scores.as_dict().items()
    shown = evaluate("words.txt", "--errors", "1")
    assert f"{100 * scores.f1:.2f}" in shown and "IV recall" in shown
    del command[-1]
    assert "OOV" not in evaluate()
    assert "oov_recall" not in json.loads(evaluate("--json"))


@pytest.mark.slow
def test_a_run_at_its_end_keeps_its_exports(recipe: Path) -> None:
    model = train(recipe, "out").model
    export(model)
    before = {path.name: sha256(path) for path in model.iterdir()}
    assert "model.onnx" in before
    assert train(recipe, "out", resume=True).test
    assert {path.name: sha256(path) for path in model.iterdir()} == before
    (model / "model.safetensors").unlink()
    train(recipe, "out", resume=True)
    assert (model / "model.onnx").is_file()
    shutil.rmtree(model)
    train(recipe, "out", resume=True)
    assert sha256(model / "model.safetensors") == before["model.safetensors"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "test.txt"),
        ('{"text": "北京好", "spans": [[0, 2, "W"]]}\n', "test.txt: sentence 1 is not segmented"),
    ],
)
def test_evaluate_refuses(recipe: Path, tiny_model: Path, content: str, message: str) -> None:
    Path("test.txt").write_text(content, encoding="utf-8")
    done = CliRunner().invoke(app, ["evaluate", str(tiny_model), "test.txt"])
    assert isinstance(done.exception, FenjieError)
    assert message in str(done.exception)


def test_the_same_again_and_other_with_another_seed(recipe: Path) -> None:
    train(recipe, "one")
    train(recipe, "two")
    assert_same(Path("one"), Path("two"))
    run_training(recipe, seed=7, console=Console(file=io.StringIO()))
    other = Path("runs/tiny-7/model/model.safetensors")
    assert sha256(other) != sha256("one/model/model.safetensors")


@pytest.mark.slow
def test_plain_settings_and_bf16(recipe: Path) -> None:
    """Without what the other tests have: no average, no clipping, AdamW, Noam, bf16, dev files."""
    text = RECIPE.replace("dev = 0.2", 'dev = ["test.txt"]').replace("linear", "noam")
    for line in ("clip = 1.0\n", "average = 0.9\n", "unknown = 0.05\n", "evaluate_every = 7\n"):
        text = text.replace(line, "")
    recipe.write_text(text + 'precision = "bf16"\nweight_decay = 0.01\n', encoding="utf-8")
    result = train(recipe, "out")
    assert result.dev == result.test["test.txt"]
    weights = load_file(result.model / "model.safetensors")
    assert {array.dtype for array in weights.values()} == {np.dtype(np.float32)}
    saved = json.loads(fenjie("evaluate", result.model, "test.txt", "--json").stdout)
    assert saved["f1"] == result.dev.f1, "scored in fp32, as it is used"
    train(recipe, "whole")
    assert_same(Path("whole"), Path("out"))


def test_a_run_of_a_recipe_with_a_base_needs_neither_file(recipe: Path) -> None:
    longer = Path("longer.toml")
    longer.write_text(f'base = "{recipe}"\n[training]\nepochs = 4\n', encoding="utf-8")
    train(longer, "out")
    longer.unlink()
    recipe.unlink()
    kept = Path("out/recipe.toml")
    assert load(kept) == loads(RECIPE.replace("epochs = 3", "epochs = 4"))
    shutil.copy(kept, longer)
    train(longer, "again")
    assert_same(Path("out"), Path("again"))


def test_refusals(recipe: Path) -> None:
    train(recipe, "out")
    with pytest.raises(FenjieError, match="out holds a run already; --resume"):
        train(recipe, "out")
    recipe.write_text(RECIPE.replace("epochs = 3", "epochs = 4"), encoding="utf-8")
    with pytest.raises(FenjieError, match=r"another recipe: training\.epochs was 3, now 4"):
        train(recipe, "out", resume=True)
    recipe.write_text(RECIPE, encoding="utf-8")
    before = sha256("out/checkpoint.safetensors")
    assert train(recipe, "out", resume=True).test, "a run at its end gives its scores again"
    assert sha256("out/checkpoint.safetensors") == before
    with open("train.txt", "a", encoding="utf-8") as file:
        file.write("北京  天气  好\n" * 2)
    with pytest.raises(FenjieError, match=r"^train\.txt has changed since the run in out began"):
        train(recipe, "out", resume=True)
    checkpoint = Path("out/checkpoint.safetensors")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-100])
    with pytest.raises(FileError, match="is damaged"):
        train(recipe, "out", resume=True)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train.txt", "", "train.txt"),
        ("more.jsonl", '{"text": "北京好", "spans": [[0, 2, "W"]]}\n', "sentence 1 is not segm"),
        ("test.txt", None, "test.txt: no such file"),
        ("test.txt", "", "test.txt: holds nothing to guess"),
    ],
)
def test_bad_data(recipe: Path, name: str, content: str | None, message: str) -> None:
    if content is None:
        Path(name).unlink()
    else:
        Path(name).write_text(content, encoding="utf-8")
    with pytest.raises(FenjieError, match=message):
        train(recipe, "out")


def test_a_watch_sees_each_epoch_once(recipe: Path) -> None:
    text = recipe.read_text(encoding="utf-8").replace("evaluate_every = 7", "evaluate_every = 2")
    recipe.write_text(text, encoding="utf-8")
    seen: list[tuple[int, float]] = []
    quiet = Console(file=io.StringIO())
    run_training(recipe, Path("out"), console=quiet, watch=lambda *one: seen.append(one))
    lines = map(json.loads, Path("out/log.jsonl").read_text(encoding="utf-8").splitlines())
    scores = [(line["epoch"], line["dev"]["f1"]) for line in lines if "dev" in line]
    assert len(scores) > len(seen)
    assert seen == list(dict(scores).items())  # the last one of each


def test_a_loss_that_explodes(recipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = torch.tensor(float("nan"), requires_grad=True)
    monkeypatch.setattr("fenjie.models.sams.Sams.loss", lambda *_: bad * 1)
    with pytest.raises(FenjieError, match=r"step \d+: the loss is nan"):
        train(recipe, "out")


def test_a_mistake_in_the_recipe_is_one_line(recipe: Path) -> None:
    recipe.write_text(RECIPE.replace("epochs", "epoch"), encoding="utf-8")
    done = fenjie("train", recipe.name)
    line = RECIPE.splitlines().index("epochs = 3") + 1
    assert done.returncode == 2
    assert done.stderr.decode() == (
        f"fenjie: tiny.toml:{line}: unknown key epoch in [training]; did you mean epochs?\n"
    )
    assert not Path("runs").exists()
