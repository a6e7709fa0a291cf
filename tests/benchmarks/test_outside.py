"""One corpus left out: the recipe, its corpora and the results of several runs in one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks import outside
from benchmarks.held_out import name_of
from fenjie.recipe.recipe import load


def test_the_corpora_have_names_of_their_own() -> None:
    corpora = load(outside.RECIPE).data.corpora
    names = [name_of(corpus) for corpus in corpora]
    assert names == ["msra", "resume", "weibo", "cluener", "youku"]
    assert all(corpus.types <= {"PER", "LOC", "ORG"} for corpus in corpora)
    assert not any(corpus.test for corpus in corpora)


def test_other_folders_than_the_recipes() -> None:
    recipe = load(outside.RECIPE)
    assert outside.with_folders(recipe, None, None).model.pretrained is None
    changed = outside.with_folders(recipe, "vectors", "encoder")
    assert changed.vocabulary.vectors == str(outside.ROOT / "vectors")
    assert changed.model.pretrained is not None
    assert changed.model.pretrained.name == str(outside.ROOT / "encoder")
    assert changed.model.pretrained.frozen


def test_results_of_other_corpora_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import machine

    for module in (outside, machine):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    outside.keep("ner", "weibo", {"all": {"f1": 0.4}})
    outside.keep("ner", "resume", {"all": {"f1": 0.6}})
    outside.keep("left out", "weibo", {"all": {"f1": 0.5}})
    found = json.loads((tmp_path / "outside.json").read_text(encoding="utf-8"))["found"]
    assert {model: list(corpora) for model, corpora in found.items()} == {
        "ner": ["weibo", "resume"],
        "left out": ["weibo"],
    }
    assert found["ner"]["weibo"]["all"] == {"f1": 0.4}
