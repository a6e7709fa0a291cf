"""A model so small that it trains in a second, for the tests of training runs."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from safetensors.numpy import load_file

from fenjie.training import loop, run_folder
from fenjie.training.loop import Result
from fenjie.training.run import run_training

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
    left, right = (load_file(folder / run_folder.CHECKPOINT) for folder in (one, other))
    assert left.keys() == right.keys()
    for name, tensor in left.items():
        assert np.array_equal(tensor, right[name]), name


def environment() -> dict[str, str]:
    source = Path(loop.__file__).parents[2]
    paths = os.pathsep.join((str(source), str(source.parent)))  # fenjie, and the benchmarks
    return {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "COLUMNS": "200"}


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
