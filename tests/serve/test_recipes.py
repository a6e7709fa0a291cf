"""Recipes for few sentences are recipes, and fit the model that they start from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fenjie.recipe.recipe import loads
from fenjie.runtime.folder import ModelFolder
from fenjie.serve.recipes import training_recipe
from fenjie.training.run import run_training

PATH = Path("sentences.jsonl")


def test_from_chance() -> None:
    made = training_recipe(PATH, 10, None)
    recipe = loads(made.text)
    assert made.seen and recipe.data.dev == recipe.data.train == ("sentences.jsonl",)
    assert recipe.training.start is None and recipe.training.steps == 1000
    assert not recipe.model.lexicon  # there are no vectors whose words it could read


@pytest.mark.slow
def test_it_trains(tmp_path: Path) -> None:
    path = tmp_path / "sentences.jsonl"
    path.write_text('{"text": "用飞天", "spans": [[1, 3, "X"]]}\n' * 4, encoding="utf-8")
    recipe = loads(training_recipe(path, 4, None).text)
    short = replace(recipe, training=replace(recipe.training, steps=20, epochs=1))
    assert run_training(short, tmp_path / "run").model.is_dir()


def test_from_a_model(tiny_ner: Path) -> None:
    folder = ModelFolder.open(tiny_ner)
    made = training_recipe(PATH, 30, folder)
    recipe = loads(made.text)
    assert not made.seen and recipe.data.dev == 0.1
    assert recipe.training.start == str(tiny_ner) and recipe.training.steps == 300
    assert recipe.architecture == "flat"
    assert recipe.model.dim == folder.config["model"]["dim"]
    assert (recipe.vocabulary.bigrams > 0) == (folder.indexer.bigrams is not None)
