"""Every field of a recipe with every bad value, refused in one line or trained with; and with every
value that it names.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
from rich.console import Console

from fenjie.lexicon.units import UnitVectors
from fenjie.models import SEGMENTERS, TAGGERS
from fenjie.recipe.datasets import DataRecipe
from fenjie.recipe.recipe import TrainingRecipe, VocabularyRecipe, dumps, loads
from fenjie.text.normalise import Normaliser
from tests.hostile.case import Outcome, chance, isolated
from tests.tiny_encoder import tiny_encoder

BAD = [
    *("0", "-1", "1", "2", "3", "0.0", "0.5", "1.0", "-0.5", "2.0", "5.0"),
    *("nan", "inf", "-inf", "1e308", "1e-308", "1000000000", str(2**63), "1" + "0" * 400),
    *("true", "false", '""', '"x"', '"\\u0000"', "[]", "[1]", '["a"]', "{}"),
]

TRAINED = 0.05
"""Share of the recipes with a bad value that can be read with which a model is trained."""

SMALL = {"dim": 16, "heads": 2, "hidden": 16, "layers": 2}


def fields(table: Any, prefix: str) -> Iterator[tuple[str, list[str]]]:
    """The keys of a table and of those within it, and the values that they name, as TOML."""
    for name, hint in get_type_hints(table).items():
        if str(hint).startswith("typing.ClassVar"):
            continue
        named = get_args(hint) if get_origin(hint) is Literal else ()
        yield f"{prefix}.{name}", [f'"{value}"' for value in named]
        if is_dataclass(hint):
            yield from fields(hint, f"{prefix}.{name}")


class Case(NamedTuple):
    """An architecture and a setting; whether the setting names the value, which so is right."""

    architecture: str
    key: str
    value: str
    named: bool = False


def cases() -> list[Case]:
    """All of them."""
    found = []
    for name, system in {**SEGMENTERS, **TAGGERS}.items():
        keys = [*fields(system.Config, "model"), ("task", []), ("architecture", [])]
        tables = {"data": DataRecipe, "training": TrainingRecipe, "vocabulary": VocabularyRecipe}
        for prefix, table in {**tables, "text": Normaliser}.items():
            keys += fields(table, prefix)
        found += [Case(name, key, value) for key, _ in keys for value in BAD]
        found += [Case(name, key, value, True) for key, named in keys for value in named]
    return found


def recipe(architecture: str, key: str, value: str) -> str:
    """A small recipe with one odd value."""
    known = {**SEGMENTERS, **TAGGERS}[architecture]
    own = get_type_hints(known.Config)
    task = "segment" if architecture in SEGMENTERS else "ner"
    settings = {"task": f'"{task}"', "architecture": f'"{architecture}"'}
    settings |= {f"model.{name}": str(size) for name, size in SMALL.items() if name in own}
    if architecture == "ngrams":
        settings["vocabulary.ngrams"] = "64"
    if task == "ner":
        settings["vocabulary.vectors"] = '"vectors"'
    if architecture == "mect":
        settings["vocabulary.components"] = '"components.txt"'
    if architecture == "bert_crf":
        settings["model.pretrained.name"] = '"encoder"'
    settings |= {"data.train": f'["{task}.jsonl"]', "data.dev": "0.5", "training.epochs": "1"}
    settings["training.schedule"] = '"constant"'  # the default is for Transformers
    settings = {name: old for name, old in settings.items() if not name.startswith(f"{key}.")}
    return "".join(f"{name} = {given}\n" for name, given in (settings | {key: value}).items())


def run(outcome: Outcome, share: float, seed: int) -> None:
    """Read recipes, write those that are read, and train by some of them."""
    everything = cases()
    chosen = chance("recipes", seed, 0).sample(
        range(len(everything)), round(len(everything) * share)
    )
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            _write_data()
            isolated(
                outcome, chosen, lambda outcome, number: _one(outcome, number, seed, everything)
            )
        finally:
            os.chdir(before)


def _write_data() -> None:
    words = '{"text": "我在北京", "spans": [[0, 1, "W"], [1, 2, "W"], [2, 4, "W"]]}\n'
    Path("segment.jsonl").write_text(words * 4, encoding="utf-8")
    entity = '{"text": "我在北京", "spans": [[2, 4, "LOC"]]}\n'
    Path("ner.jsonl").write_text(entity * 4, encoding="utf-8")
    Path("components.txt").write_text("我\t手 戈\n", encoding="utf-8")
    Path("vectors").mkdir()
    units = {"characters": list("我在北京"), "bigrams": ["北京"], "words": ["北京", "我"]}
    for name, names in units.items():
        rows = np.random.default_rng(0).normal(size=(len(names), 8))
        UnitVectors.build(names, [1] * len(names), rows).save(Path("vectors"), name)
    tiny_encoder(Path("encoder"))


def _one(outcome: Outcome, number: int, seed: int, everything: list[Case]) -> None:
    architecture, key, value, named = everything[number]
    with outcome.case(f"{architecture}: {key} = {value[:30]}"):
        made = loads(recipe(architecture, key, value))
        assert loads(dumps(made)) == made, "written and read again, it is another"
        if named or chance("trained", seed, number).random() < TRAINED:
            from fenjie.training.run import run_training

            console = Console(file=io.StringIO())
            run_training(made, Path(f"run-{number}"), console=console)
