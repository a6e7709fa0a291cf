"""Every recipe of the repository can be read, is named somewhere and says truly if it was run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from benchmarks.training import OTHERS, recipes
from fenjie.distillation.distill_recipe import read_distill_recipe
from fenjie.errors import FenjieError
from fenjie.pretraining.settings import read_recipe
from fenjie.recipe.recipe import dumps, load, loads

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "recipes"
RECIPES = [path for path in sorted(FOLDER.rglob("*.toml")) if path.parent.name not in OTHERS]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_recipe(path: Path) -> None:
    recipe = load(path)
    assert loads(dumps(recipe)) == recipe
    if path.parent.name == "bert":
        assert recipe.model.pretrained.name and recipe.training.pretrained_rate < 1


def test_no_two_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert len(recipes()) == len(RECIPES)
    monkeypatch.chdir(tmp_path)
    Path("recipes").mkdir()
    for name, seed in (("a", 1), ("b", 2)):
        text = f"[data]\ntrain = ['a']\n[training]\nseed = {seed}\n"
        Path(f"recipes/{name}.toml").write_text(text, encoding="utf-8")
    with pytest.raises(FenjieError, match=r"b\.toml is the same recipe as recipes/a\.toml"):
        recipes()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("pretraining/*.toml")), ids=lambda p: p.name)
def test_recipe_of_pretraining(path: Path) -> None:
    assert read_recipe(path).texts


@pytest.mark.parametrize("path", sorted(FOLDER.glob("distill/*.toml")), ids=lambda p: p.name)
def test_recipe_of_distillation(path: Path) -> None:
    assert read_distill_recipe(path).texts


def test_every_recipe_is_named_by_a_page_a_table_a_script_or_another_recipe() -> None:
    lists = ROOT / "docs" / "results.md"  # of all that was run
    pages = {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/*.py")}
    named = set()
    for page in {*pages, *FOLDER.rglob("*.toml")} - {lists}:
        for name in re.findall(r"[\w./-]+\.toml", page.read_text(encoding="utf-8")):
            for folder in (page.parent, ROOT, FOLDER, FOLDER / "trials"):
                named |= {(folder / name).resolve()} - {page}
    assert [str(path.relative_to(FOLDER)) for path in RECIPES if path not in named] == []


def test_what_is_not_trained_yet_has_no_record() -> None:
    records = json.loads((ROOT / "benchmarks/results/training.json").read_text(encoding="utf-8"))
    untrained = {
        str(path.relative_to(ROOT))
        for path in RECIPES
        if "Not trained yet" in path.read_text(encoding="utf-8")
    }
    assert not untrained & set(records["runs"])
