"""Recipes of the package, by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.errors import FileError
from fenjie.recipe.derived import read, self_contained
from fenjie.recipe.named import FOLDER, NAMES, find
from fenjie.recipe.recipe import load


def test_the_names() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*")) == list(NAMES)
    assert NAMES == ("flat-from-ner", "sams-from-segment")


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_is_found_by_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recipe = load(Path(name))
    assert recipe.training.start in ("ner", "segment"), "it needs nothing but the package"
    assert recipe.vocabulary.vectors is None
    assert self_contained(Path(name)) == (FOLDER / f"{name}.toml").read_bytes()


def test_a_file_goes_before_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flat-from-ner").mkdir()
    assert find("flat-from-ner").parent == FOLDER, "a folder is no recipe"
    (tmp_path / "sams-from-segment").write_text('[data]\ntrain = ["mine"]\n', encoding="utf-8")
    assert load(Path("sams-from-segment")).data.train == ("mine",)
    assert find("sams-from-segment", FOLDER).parent == FOLDER


def test_other_names_are_paths() -> None:
    for name in ("missing", "flat-from-ner.toml", "../shipped/flat-from-ner", "x/flat-from-ner"):
        assert find(name) == Path(name)
    with pytest.raises(FileError, match="missing: cannot be read"):
        read(Path("missing"))
    with pytest.raises(FileError, match=r"^flat-from-ne: no such file; did you mean flat-from-ner"):
        read(Path("flat-from-ne"))


def test_a_base_may_be_one(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text('base = "flat-from-ner"\n[training]\nsteps = 7\n', encoding="utf-8")
    mine, given = load(path), load(Path("flat-from-ner"))
    assert (mine.training.steps, mine.model) == (7, given.model)
