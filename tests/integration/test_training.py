"""Training runs from end to end: killed and resumed, in two processes, on a full disk."""

from __future__ import annotations

import io
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
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
from fenjie.runtime.folder import ModelFolder
from fenjie.training import checkpoints, loop
from fenjie.training.loop import Result, Run
from fenjie.training.predict import Reader
from fenjie.training.run import run_training
from fenjie.training.save import load_model

TEXT = (
    "他 说 的 确实 在 理 ， 。 北京 商品 和 服务 市场 价格 上涨 今天 天气 很 好 我们 去 研究 生命"
)
WORDS = TEXT.split()

RECIPE = """\
[data]
train = ["train.txt", "more.jsonl"]
dev = 0.2
test = ["test.txt"]

[vocabulary]
bigrams = 2

[model]
dim = 16
layers = 2
heads = 2
hidden = 32
bigram_dim = 8

[training]
epochs = 3
tokens = 128
accumulate = 2
learning_rate = 0.01
schedule = "linear"
warmup = 5
clip = 1.0
average = 0.9
unknown = 0.05
evaluate_every = 7
checkpoint_every = 3
"""

SAME = ("log.jsonl", "scores.json", "recipe.toml", "model/model.safetensors", "model/config.toml")
"""Files that must not tell a disturbed run from an undisturbed one."""


def sentences(count: int, seed: int) -> list[list[str]]:
    chance = random.Random(seed)
    return [chance.choices(WORDS, k=chance.randint(1, 12)) for _ in range(count)]


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recipe in the working directory, with its data."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    return Path(prepare(tmp_path, 150).name)


def prepare(folder: Path, count: int) -> Path:
    for name, size, seed in (("train.txt", count, 1), ("test.txt", 30, 2)):
        lines = ("  ".join(words) + "\n" for words in sentences(size, seed))
        (folder / name).write_text("".join(lines), encoding="utf-8")
    with open(folder / "more.jsonl", "w", encoding="utf-8") as file:
        for words in sentences(40, 3):
            text, spans = " ".join(words), []
            for word in words:
                start = spans[-1][1] if spans else 0
                if spans:
                    spans.append([start, start + 1, "W"])
                    start += 1
                spans.append([start, start + len(word), "W"])
            file.write(json.dumps({"text": text, "spans": spans}) + "\n")
    path = folder / "tiny.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def train(recipe: Path, output: str, **options: bool) -> Result:
    return run_training(recipe, Path(output), console=Console(file=io.StringIO()), **options)


def assert_same(one: Path, other: Path) -> None:
    for name in SAME:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
    left, right = (load_file(folder / loop.CHECKPOINT) for folder in (one, other))
    assert left.keys() == right.keys()
    for name, tensor in left.items():
        assert np.array_equal(tensor, right[name]), name


def test_a_run(recipe: Path) -> None:
    result = train(recipe, "out")
    out = Path("out")
    assert (out / "recipe.toml").read_bytes() == recipe.read_bytes()
    assert list((out / "tensorboard").iterdir())

    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    losses = [line["loss"] for line in log if "loss" in line]
    assert losses[-1] < losses[0] / 2
    scores = {line["step"]: line["dev"]["f1"] for line in log if "dev" in line}
    best = max(scores, key=scores.__getitem__)
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
    model = load_model(folder)
    text = "今天 天气很好，他说的确实在理。"
    (sentence,) = Reader([text], folder.normaliser, folder.indexer)(model)
    assert sentence.tiled and sentence.text == text
    assert " " in sentence.words


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


class KilledError(BaseException):
    """Stands for a kill where a test needs an exact moment."""


@pytest.mark.parametrize(
    ("where", "every"),
    [("_learn", 9), ("_evaluate", 5), ("_checkpoint", 5), ("_save_model", 5), ("finish", 3)],
)
def test_stopped_anywhere(
    where: str, every: int, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped again and again, before and after each kind of work, the run ends the same."""
    train(recipe, "whole")
    work = getattr(Run, where)
    done = 0

    def stopping(self: Run, *arguments: object) -> object:
        nonlocal done
        done += 1
        if done % every == 1:
            raise KilledError
        result = work(self, *arguments)
        if done % every == every - 1:
            raise KilledError
        return result

    monkeypatch.setattr(Run, where, stopping)
    stops = 0
    while True:
        try:
            train(recipe, "out", resume=True)
            break
        except KilledError:
            stops += 1
        assert stops < 100
    assert stops >= 2
    assert_same(Path("whole"), Path("out"))


def test_stopped_while_a_checkpoint_is_written(
    recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(recipe, "whole")
    write, done = checkpoints.write, 0

    def half(path: Path, *arguments: object) -> None:
        nonlocal done
        done += 1
        if path.name == loop.CHECKPOINT and done == 6:
            rest = path.parent / ".fenjie-abc"
            rest.mkdir()
            (rest / path.name).write_bytes(b"half")
            raise KilledError
        write(path, *arguments)

    monkeypatch.setattr(checkpoints, "write", half)
    with pytest.raises(KilledError):
        train(recipe, "out")
    train(recipe, "out", resume=True)
    assert_same(Path("whole"), Path("out"))
    assert not list(Path("out").glob(".*"))


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
    train(recipe, "whole")
    assert_same(Path("whole"), Path("out"))


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
    with pytest.raises(FenjieError, match="training data are not those"):
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
    ],
)
def test_bad_data(recipe: Path, name: str, content: str | None, message: str) -> None:
    if content is None:
        Path(name).unlink()
    else:
        Path(name).write_text(content, encoding="utf-8")
    with pytest.raises(FenjieError, match=message):
        train(recipe, "out")


def test_a_loss_that_explodes(recipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = torch.tensor(float("nan"), requires_grad=True)
    monkeypatch.setattr("fenjie.models.sams.Sams.loss", lambda *_: bad * 1)
    with pytest.raises(FenjieError, match=r"step \d+: the loss is nan"):
        train(recipe, "out")


# What follows runs `fenjie` in processes of its own.


def environment() -> dict[str, str]:
    source = str(Path(loop.__file__).parents[2])
    return {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1", "COLUMNS": "200"}


def fenjie(*arguments: object, limit: Callable[[], None] | None = None) -> tuple[int, str]:
    """Run a command; its exit code and what it wrote on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "fenjie", *map(str, arguments)],
        env=environment(),
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_mistake_in_the_recipe_is_one_line(recipe: Path) -> None:
    recipe.write_text(RECIPE.replace("epochs", "epoch"), encoding="utf-8")
    code, errors = fenjie("train", recipe.name)
    line = RECIPE.splitlines().index("epochs = 3") + 1
    assert code == 2
    assert errors == (
        f"fenjie: tiny.toml:{line}: unknown key epoch in [training]; did you mean epochs?\n"
    )
    assert not Path("runs").exists()


def test_full_disk(recipe: Path) -> None:
    """No file may be larger than 20 kB, as if there were no more room."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    code, errors = fenjie("train", recipe.name, "--output", "out", limit=limit)
    assert code == 2
    assert "cannot be written: File too large" in errors.splitlines()[-1]
    assert "Traceback" not in errors
    left = {path.name for path in Path("out").iterdir()}
    assert left <= {"recipe.toml", "log.jsonl", "tensorboard"}


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    recipe = prepare(tmp_path, 600)
    # As a command too: the number of threads must be the same, or sums are rounded otherwise.
    code, errors = fenjie("train", recipe.name, "-o", "whole")
    assert code == 0, errors
    command = [sys.executable, "-m", "fenjie", "train", recipe.name, "-o", "out", "--resume"]
    chance, kills = random.Random(0), 0
    while kills < 3:
        process = subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL)
        for _ in steps_of(Path("out/log.jsonl"), process):
            if chance.random() < 0.3:
                time.sleep(chance.random() / 10)
                process.send_signal(signal.SIGKILL)
        if process.wait() == 0:
            break
        kills += 1
    assert kills
    code, errors = fenjie(*command[3:])
    assert code == 0, errors
    assert_same(Path("whole"), Path("out"))
    assert not list(Path("out").glob(".*"))


def steps_of(log: Path, process: subprocess.Popen[bytes]) -> Iterator[int]:
    """The size of the log whenever it has changed, as long as the process lives."""
    size = log.stat().st_size if log.exists() else 0
    while process.poll() is None:
        time.sleep(0.005)
        now = log.stat().st_size if log.exists() else 0
        if now != size:
            size = now
            yield size


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.mark.slow
def test_two_processes(recipe: Path) -> None:
    """By torchrun and by accelerate; stopped and resumed; the weights are the same."""
    recipe.write_text(RECIPE.replace("epochs = 3", "epochs = 2"), encoding="utf-8")
    torchrun = ["torch.distributed.run", "--nproc-per-node=2", f"--master-port={free_port()}"]
    accelerate = ["accelerate.commands.launch", "--multi_gpu", "--num_processes=2"]
    accelerate += ["--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no"]
    accelerate += [f"--main_process_port={free_port()}"]
    for launcher, output in ((torchrun, "one"), (accelerate, "two")):
        command = [sys.executable, "-m", *launcher, "-m", "fenjie", "train", recipe.name]
        done = subprocess.run(
            [*command, "-o", output],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("best after step") == 1
    assert_same(Path("one"), Path("two"))
    # A step takes two batches of each process, so there are half as many.
    train(recipe, "single")
    steps = [json.loads(Path(f, "scores.json").read_text())["step"] for f in ("one", "single")]
    assert steps[0] < steps[1]
    with pytest.raises(FenjieError, match="2 processes and cannot be resumed with 1"):
        train(recipe, "one", resume=True)
