"""Every recipe of the repository can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from fenjie.recipe.recipe import dumps, load, loads

FOLDER = Path(__file__).parents[1] / "recipes"
RECIPES = [path for path in sorted(FOLDER.rglob("*.toml")) if path.parent.name != "tables"]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_recipe(path: Path) -> None:
    recipe = load(path)
    assert loads(dumps(recipe)) == recipe
    if path.parent.name == "bert":
        assert recipe.model.pretrained.name and recipe.training.pretrained_rate < 1
