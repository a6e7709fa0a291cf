"""Recipes of pre-training."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.errors import FileError
from fenjie.pretraining.settings import read_recipe

RECIPE = 'texts = ["a.txt"]\n\n[encoder]\ndim = 8\nheads = 2\n\n[training]\nrows = 4\n'


def test_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    recipe = read_recipe(path)
    assert recipe.texts == ("a.txt",) and recipe.encoder.dim == 8 and recipe.training.rows == 4
    assert recipe.encoder.layers == 2 and recipe.encoding == "utf-8"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rows", "row", r":8: unknown key row in \[training\]; did you mean rows\?"),
        ("rows = 4", "average = 2.0", r":8: training.average has a wrong type or value; found 2.0"),
        ("heads = 2", "heads = 3", r":\d+: dim 8 is not a multiple of heads 3"),
        ('["a.txt"]', "[]", r":1: texts names no file"),
        ('texts = ["a.txt"]', "", r"the key texts is missing"),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE.replace(old, new), encoding="utf-8")
    with pytest.raises(FileError, match=message):
        read_recipe(path)
