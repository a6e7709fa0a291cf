"""Sentences with entities, vectors and a recipe that trains a tagger on them in a second."""

from __future__ import annotations

import io
import random
from pathlib import Path

import numpy as np
from rich.console import Console

from fenjie.corpus import write
from fenjie.lexicon.units import UnitVectors
from fenjie.text.span import Sentence, Span
from fenjie.training.loop import Result
from fenjie.training.run import run_training

NAMES = {"PER": ["王小明", "李雷", "张 三"], "LOC": ["北京", "上海市", "广州"]}
WORDS = ["北京", "上海", "上海市", "小明", "今天", "天气", "喜欢", "广州市"]

RECIPE = """\
task = "ner"

[data]
train = ["train.bmes"]
dev = 0.2
test = ["test.jsonl"]

[vocabulary]
bigrams = 2
vectors = "vectors"

[model]
dim = 16
heads = 2
hidden = 32

[training]
epochs = 4
sentences = 6
optimizer = "sgd"
learning_rate = 0.01
schedule = "inverse"
warmup_epochs = 1.0
clip_value = 5.0
checkpoint_every = 3
checkpoint_minutes = 0.0
"""


def sentence(chance: random.Random, spaces: bool) -> Sentence:
    """A random sentence with entities, with or without spaces in their names."""
    text, spans = "", []
    for _ in range(chance.randint(1, 3)):
        text += chance.choice(["今天", "喜欢", "在", "天气，", "去了"])
        label = chance.choice(sorted(NAMES))
        name = chance.choice(NAMES[label])
        name = name if spaces else name.replace(" ", "")
        spans.append(Span(len(text), len(text) + len(name), label))
        text += name
    return Sentence(text + "。", tuple(spans))


def prepare(folder: Path) -> None:
    """Write the data, the vectors and the recipe into a folder."""
    chance, numbers = random.Random(3), np.random.default_rng(3)
    write([sentence(chance, False) for _ in range(60)], folder / "train.bmes", "columns")
    write([sentence(chance, True) for _ in range(20)], folder / "test.jsonl", "jsonl")
    (folder / "vectors").mkdir()
    units = {
        "characters": sorted({c for word in WORDS for c in word} | {"们"}),
        "bigrams": ["今天", "北京", "京去", "不在"],
        "words": [*WORDS, "北", "京"],
    }
    for name, names in units.items():
        rows = numbers.normal(size=(len(names), 50))
        UnitVectors.build(names, [1] * len(names), rows).save(folder / "vectors", name)
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")


def train(output: str, *, resume: bool = False) -> Result:
    """Train the recipe of the working directory."""
    quiet = Console(file=io.StringIO())
    return run_training(Path("recipe.toml"), Path(output), resume=resume, console=quiet)
