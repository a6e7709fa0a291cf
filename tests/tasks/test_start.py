"""A model that starts from another: what fits is taken, by name, and the rest is named."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

import torch

from fenjie.corpus import write
from fenjie.errors import FenjieError, FileError
from fenjie.recipe.recipe import Recipe, load
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.model_files import WEIGHTS
from fenjie.tasks.ner import Entities
from fenjie.tasks.start import StartModel, common
from fenjie.tasks.weights import write_start
from fenjie.text.normalise import Normaliser
from fenjie.text.span import Sentence, Span
from tests.integration.tiny_entities import prepare, sentence, train


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, vectors, a recipe and a run of it."""
    folder = tmp_path_factory.mktemp("start")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("FENJIE_DATA", raising=False)
        prepare(folder)
        train("first")
        chance = random.Random(7)
        own = [sentence(chance, False) for _ in range(12)]
        labels = {"PER": "PER", "LOC": "CITY"}
        renamed = [
            Sentence(s.text, tuple(Span(p.start, p.end, labels[p.label]) for p in s.spans))
            for s in own
        ]
        write(renamed, folder / "own.jsonl", "jsonl")
    return folder


@pytest.fixture
def recipe(trained: Path, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    """A recipe for other labels, which starts from the run and names no vectors."""
    monkeypatch.chdir(trained)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    made = load(Path("recipe.toml"))
    return replace(
        made,
        data=replace(made.data, train=("own.jsonl",), test=()),
        vocabulary=replace(made.vocabulary, vectors=None),
        training=replace(made.training, start="first"),
    )


def row(task: Entities, table: str, unit: str) -> torch.Tensor:
    units = task.inputs.characters if table == "characters" else task.inputs.bigrams
    assert units is not None
    number = int(units.vocabulary.ids([unit])[0])
    whole: torch.Tensor = getattr(task.module.embedding, table).whole()[number]
    return whole


@pytest.mark.parametrize("vectors", [None, "vectors"])
def test_rows_are_taken_by_name(recipe: Recipe, vectors: str | None) -> None:
    first = Entities(load(Path("recipe.toml")))
    its = StartModel.open("first", recipe.text, {})._weights
    first.module.load_state_dict(dict(its), strict=False)
    task = Entities(replace(recipe, vocabulary=replace(recipe.vocabulary, vectors=vectors)))
    assert task.tagset.labels == ("CITY", "PER")
    for table, unit in (("characters", "北"), ("characters", "们"), ("bigrams", "北京")):
        torch.testing.assert_close(
            row(task, table, unit), row(first, table, unit), rtol=1e-3, atol=1e-3
        )
    persons = [first.tagset.tags.index(tag) for tag in ("O", "B-PER", "S-PER")]
    own = [task.tagset.tags.index(tag) for tag in ("O", "B-PER", "S-PER")]
    old, new = first.module.state_dict(), task.module.state_dict()
    assert torch.equal(new["output.weight"][own], old["output.weight"][persons])
    pairs = [state["crf.transition"][at][:, at] for state, at in ((new, own), (old, persons))]
    assert torch.equal(*pairs)
    assert torch.equal(new["layers.0.widen.weight"], old["layers.0.widen.weight"])
    assert "not taken" not in task.notes and "5 of 9 tags" in task.notes

    words = ModelFolder.open("first/model").words
    assert words is not None and task.inputs.vectors is not None
    names = ["北京", "喜欢"]
    tables = [each.table for each in (words, task.inputs.vectors)]
    ours, theirs = (table(table.rows(names)) for table in tables)
    np.testing.assert_allclose(ours, theirs, atol=0.01)


def test_a_label_begins_from_one_of_another_name(recipe: Recipe) -> None:
    def begun(**labels: str) -> Entities:
        return Entities(replace(recipe, training=replace(recipe.training, start_labels=labels)))

    its = StartModel.open("first", recipe.text, {})
    task, place = begun(CITY="LOC"), [its._tags.index(tag) for tag in ("B-LOC", "E-LOC")]
    assert "9 of 9 tags" in task.notes
    own = [task.tagset.tags.index(tag) for tag in ("B-CITY", "E-CITY")]
    new, old = task.module.state_dict(), its._weights
    assert torch.equal(new["output.weight"][own], old["output.weight"][place])
    assert torch.equal(new["crf.transition"][own, own], old["crf.transition"][place, place])
    both = begun(CITY="PER").module.state_dict()["output.bias"]
    persons = [task.tagset.tags.index(tag) for tag in ("B-PER", "E-PER")]
    assert torch.equal(both[own], both[persons])
    with pytest.raises(FenjieError, match="first has no label 'GPE'; expected some of LOC, PER"):
        begun(CITY="GPE")
    with pytest.raises(FenjieError, match="data has no label 'TOWN'; expected some of CITY, PER"):
        begun(TOWN="LOC")
    write([Sentence.from_words(["他", "去", "了"])] * 5, "words.jsonl", "jsonl")
    recipe = replace(recipe, data=replace(recipe.data, train=("words.jsonl",), dev=0.2, test=()))
    with pytest.raises(FenjieError, match="data has no label 'CITY'; it holds words, no entities"):
        begun(CITY="LOC")


def test_traditional_characters_are_read_as_those_that_the_model_knows(recipe: Recipe) -> None:
    pytest.importorskip("opencc", reason="needs the extra `traditional`")
    write([Sentence("他去了", (Span(0, 1, "PER"),))] * 5, "small.jsonl", "jsonl")
    small = replace(recipe.data, train=("small.jsonl",))
    made = Entities(
        replace(recipe, data=small, vocabulary=replace(recipe.vocabulary, variants=True))
    )
    assert "歡欢" in (made.inputs.indexer.variants or ())


def test_what_does_not_fit_is_named(recipe: Recipe) -> None:
    wider = replace(recipe, model=replace(recipe.model, hidden=48, layers=2))
    lines = Entities(wider).notes.splitlines()
    assert lines[0].startswith("starts from first: ") and "5 of 9 tags" in lines[0]
    assert "layers.0.widen.weight (32 × 16, not 48 × 16)" in lines[1]
    assert "layers.1.widen.weight (it has none)" in lines[1]
    assert "attention.query" not in lines[1].replace("layers.1.attention.query", "")


def test_trained_from_a_small_copy_and_resumed(recipe: Recipe) -> None:
    folder = ModelFolder.open("first/model")
    write_start(folder)
    (folder.path / WEIGHTS).rename("kept.safetensors")
    seal(folder.path)
    try:
        task = Entities(recipe)
        assert "not taken" not in task.notes
    finally:
        Path("kept.safetensors").rename(folder.path / WEIGHTS)
        (folder.path / "start.safetensors").unlink()
        seal(folder.path)


def test_bad_starts(recipe: Recipe, tmp_path: Path) -> None:
    def start(name: str) -> None:
        Entities(replace(recipe, training=replace(recipe.training, start=name)))

    with pytest.raises(FenjieError, match=r"nothing: neither a model .* fenjie \(ner, ner-small"):
        start("nothing")
    with pytest.raises(
        FileError, match="a model of entities starts from one of its kind; found 'seg"
    ):
        start("segment")
    with pytest.raises(FileError, match="vectors"):
        start("vectors")


def test_common_names() -> None:
    here, there = common([0, 1, "a", "b"], [0, 1, "b", "c", "a"])
    assert (here.tolist(), there.tolist()) == ([0, 1, 2, 3], [0, 1, 4, 2])
    assert common(["a"], ["b"])[0].tolist() == []


def test_text_that_is_read_otherwise_is_named(recipe: Recipe) -> None:
    assert "[text]" not in Entities(recipe).notes
    wide = replace(recipe, text=Normaliser(width=not recipe.text.width))
    assert "[text] (width was " in Entities(wide).notes
    task = Entities(replace(recipe, text=replace(recipe.text, digits=True)))
    assert "[text] (digits was False, now True)" in task.notes
