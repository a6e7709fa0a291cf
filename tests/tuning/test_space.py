"""Spaces of settings: how they are read, and the recipes that follow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.recipe.recipe import loads
from fenjie.tuning.space import Between, check_against, load_for, load_space, with_settings

RECIPE = loads(
    """\
task = "ner"
architecture = "flat"

[data]
train = ["train.bmes"]
dev = ["dev.bmes"]
test = ["test.bmes"]

[vocabulary]
vectors = "vectors"
"""
)
SPACE = """\
trials = 12
prune = 3

[space]
head_size = [16, 20]
model.heads = [4, 8]
model.output_dropout = { low = 0.1, high = 0.5 }
"training.learning_rate" = { low = 1e-4, high = 1e-2, log = true }

[products]
model.dim = ["model.heads", "head_size"]
model.hidden = [3, "model.heads", "head_size"]
"""


def read(tmp_path: Path, text: str) -> object:
    path = tmp_path / "space.toml"
    path.write_text(text, encoding="utf-8")
    return load_space(path)


def test_a_space(tmp_path: Path) -> None:
    space = read(tmp_path, SPACE)
    assert (space.method, space.trials, space.runs, space.prune) == ("random", 12, 1, 3)
    assert space.choices["model.heads"] == (4, 8)
    assert space.choices["training.learning_rate"] == Between(1e-4, 1e-2, log=True)
    drawn = {"head_size": 20, "model.heads": 8, "model.output_dropout": 0.2}
    settings = space.settings({**drawn, "training.learning_rate": 0.001})
    assert settings == {
        "model.heads": 8,
        "model.output_dropout": 0.2,
        "training.learning_rate": 0.001,
        "model.dim": 160,
        "model.hidden": 480,
    }
    made = with_settings(RECIPE, settings)
    assert (made.model.dim, made.model.hidden, made.training.learning_rate) == (160, 480, 0.001)
    assert made.data == RECIPE.data
    check_against(space, RECIPE)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("trials", "trails", "space.toml:1: unknown key trails; did you mean trials"),
        ("trials = 12", "trials = 0", "space.toml:1: trials has a wrong type or value; found 0"),
        ("high = 0.5", "high = 0.1", "space.toml:7: low 0.1 is not below high 0.1"),
        ("low = 1e-4", "low = 0.0", "space.toml:8: low 0.0 has no logarithm"),
        ("[4, 8]", "[4, 4]", "space.toml:6: space.model.heads needs values that differ"),
        ("[4, 8]", "[]", "needs values that differ"),
        ('[3, "model.heads", "head_size"]', '[3, "sizes"]', "multiplies what is not drawn"),
        ('[3, "model.heads", "head_size"]', "[]", "multiplies nothing"),
        ('model.dim = ["model.heads", ', 'model.heads = ["model.heads", ', "is drawn already"),
        ("head_size = [", "head_sizes = [", "multiplies what is not drawn as a number"),
        ("[16, 20]", "[16, 20]\nother = [1, 2]", "other is no setting, such as model.dim, and in"),
        ("high = 0.5", "hi = 0.5", "unknown key hi in .*did you mean high"),
        ("[4, 8]", "[4, 8]\ntraining.seed = [1, 2]", "space.toml:7: training.seed is not searched"),
    ],
)
def test_what_is_no_space(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SPACE
    with pytest.raises(FenjieError, match=message):
        read(tmp_path, SPACE.replace(old, new))


def test_no_settings(tmp_path: Path) -> None:
    for text in ("trials = 3\n", "[space]\n", "[space.model]\n"):
        with pytest.raises(FenjieError, match=r"\[space\] names no setting to search"):
            read(tmp_path, text)


def test_no_tables(tmp_path: Path) -> None:
    with pytest.raises(FenjieError, match=r"space.toml:1: products is no table; found \[1\]"):
        read(tmp_path, f"products = [1]\n{SPACE.partition('[products]')[0]}")
    with pytest.raises(FenjieError, match=r"space.toml:2: space is no table; found 3"):
        read(tmp_path, "trials = 3\nspace = 3\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("modle.heads = [4, 8]", "modle.heads is no setting of this recipe"),
        ("model.headz = [4, 8]", "unknown key headz in .*did you mean heads"),
        ("training.epochs = [2, 0]", "training.epochs has a wrong type or value; found 0"),
        ("data.train = [1, 2]", "data.train has a wrong type"),
    ],
)
def test_a_space_of_another_recipe(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(FenjieError, match=message) as caught:
        check_against(read(tmp_path, f"[space]\n{line}\n"), RECIPE)
    assert not re.search(r":\d", str(caught.value)), "a line of a file that is none"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trials = 2\n[space]\nmodel.foo = [1, 2]\n[products]\nmodel.bar = [2, 'model.foo']\n",
         r"space\.toml:3: the recipe with the settings of the space: unknown key foo in \[model\]"),
        ("[space]\nsize = [1, 2]\n[products]\nmodle.dim = [2, 'size']\n",
         r"space\.toml:4: modle\.dim is no setting of this recipe$"),
        ("[space]\ntraining.epochs = [2, 0]\n", r"space\.toml:2: the recipe .* found 0"),
        ("[space]\nmodel.dim = [30, 31]\n", r"space\.toml:2: the recipe .*: dim 30 is "),
    ],
)  # fmt: skip
def test_a_space_is_named_where_it_does_not_fit(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "space.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=message):
        load_for(RECIPE, path)


@pytest.mark.parametrize(
    "path",
    sorted((Path(__file__).parents[2] / "recipes" / "search").glob("*.toml")),
    ids=lambda path: path.name,
)
def test_the_spaces_of_the_papers(path: Path) -> None:
    check_against(load_space(path), RECIPE)
