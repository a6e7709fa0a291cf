"""Every recipe of the repository can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from fenjie.distillation.distill_recipe import read_distill_recipe
from fenjie.pretraining.settings import read_recipe
from fenjie.recipe.recipe import dumps, load, loads

FOLDER = Path(__file__).parents[1] / "recipes"
OTHERS = {"distill", "papers", "pretraining", "search", "tables"}
"""Folders of recipes of another form."""
RECIPES = [path for path in sorted(FOLDER.rglob("*.toml")) if path.parent.name not in OTHERS]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_recipe(path: Path) -> None:
    recipe = load(path)
    assert loads(dumps(recipe)) == recipe
    if path.parent.name == "bert":
        assert recipe.model.pretrained.name and recipe.training.pretrained_rate < 1


@pytest.mark.parametrize("path", sorted(FOLDER.glob("pretraining/*.toml")), ids=lambda p: p.name)
def test_recipe_of_pretraining(path: Path) -> None:
    assert read_recipe(path).texts


@pytest.mark.parametrize("path", sorted(FOLDER.glob("distill/*.toml")), ids=lambda p: p.name)
def test_recipe_of_distillation(path: Path) -> None:
    assert read_distill_recipe(path).texts
