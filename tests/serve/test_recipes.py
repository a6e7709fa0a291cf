"""Recipes for few sentences are recipes, and fit the model that they start from."""

from __future__ import annotations

from pathlib import Path

from fenjie.recipe.recipe import loads
from fenjie.runtime.folder import ModelFolder
from fenjie.serve.recipes import training_recipe

PATH = Path("sentences.jsonl")


def test_from_chance() -> None:
    made = training_recipe(PATH, 10, None)
    recipe = loads(made.text)
    assert made.seen and recipe.data.dev == recipe.data.train == ("sentences.jsonl",)
    assert recipe.training.start is None and recipe.training.steps == 1000


def test_from_a_model(tiny_ner: Path) -> None:
    folder = ModelFolder.open(tiny_ner)
    made = training_recipe(PATH, 30, folder)
    recipe = loads(made.text)
    assert not made.seen and recipe.data.dev == 0.1
    assert recipe.training.start == str(tiny_ner) and recipe.training.steps == 300
    assert recipe.architecture == "flat"
    assert recipe.model.dim == folder.config["model"]["dim"]
    assert (recipe.vocabulary.bigrams > 0) == (folder.indexer.bigrams is not None)
