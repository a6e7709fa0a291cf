"""A segmenter that learns on from another: all of its weights and words, or a clear refusal."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

import torch
from safetensors.torch import load_file, save_file

from fenjie.errors import FenjieError, FileError
from fenjie.export import export
from fenjie.recipe.recipe import Recipe, dumps, load, loads, reading
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.model_files import ONNX, START, WEIGHTS
from fenjie.tasks.segmentation import Segmentation
from fenjie.tasks.weights import write_start
from tests.integration.tiny_run import RECIPE, prepare, train

STANDARDS = RECIPE.replace(
    '[data]\ntrain = ["train.txt", "more.jsonl"]\ndev = 0.2\ntest = ["test.txt"]\n',
    '[[data.corpora]]\nstandard = "one"\ntrain = ["train.txt"]\n'
    '[[data.corpora]]\nstandard = "two"\ntrain = ["more.jsonl"]\n',
)
VOCABULARY = "[vocabulary]\nbigrams = 2\n"
START_LINE = '[training]\nstart = "first"\n'


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, recipes and a run of two standards."""
    folder = tmp_path_factory.mktemp("start_segmenter")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("FENJIE_DATA", raising=False)
        prepare(folder, 150)
        Path("tiny.toml").write_text(
            STANDARDS.replace(VOCABULARY, VOCABULARY + "words = 1\n"), encoding="utf-8"
        )
        train(Path("tiny.toml"), Path("first"))
    return folder


@pytest.fixture
def recipe(trained: Path, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    """A recipe of one corpus without a standard that starts from the run."""
    monkeypatch.chdir(trained)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    text = RECIPE.replace(VOCABULARY, "").replace("[training]\n", START_LINE)
    return loads(text)


def test_all_is_taken(recipe: Recipe) -> None:
    task = Segmentation(recipe)
    assert re.match(r"[\d,]+ characters, .*; standards one, two$", task.summary)
    old = load_file(Path("first/model") / WEIGHTS)
    assert all(torch.equal(old[name], value) for name, value in task.module.state_dict().items())
    assert task.indexer.standards == ("one", "two")
    first = ModelFolder.open("first/model").indexer
    assert (task.indexer("北京市场价格") == first("北京市场价格")).all()
    assert task.notes.startswith("starts from first: ")


def test_it_learns_on_from_the_scores_of_the_other(recipe: Recipe) -> None:
    Path("next.toml").write_text(
        RECIPE.replace(VOCABULARY, "").replace("[training]\n", START_LINE), encoding="utf-8"
    )
    before = Segmentation(recipe).dev(torch.device("cpu"))
    result = train(Path("next.toml"), Path("next"))
    assert result.dev.f1 >= before.f1
    folder = ModelFolder.open("next/model")
    assert folder.standards == ("one", "two")


@pytest.mark.slow
def test_the_small_copy_serves_as_well(recipe: Recipe, tmp_path: Path) -> None:
    full = Segmentation(recipe).module.state_dict()
    export(Path("first/model"), tables="int8")
    folder = ModelFolder.open("first/model")
    write_start(folder)
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in folder.path.iterdir():
        if path.name != WEIGHTS:
            (copy / path.name).write_bytes(path.read_bytes())
    seal(copy)
    small = replace(recipe, training=replace(recipe.training, start=str(copy)))
    found = Segmentation(small).module.state_dict()
    for name, value in full.items():
        torch.testing.assert_close(found[name], value, rtol=0.01, atol=0.02, msg=name)
    (copy / ONNX).unlink()
    (copy / START).unlink()
    seal(copy)
    with pytest.raises(FileError, match="no weights to start from"):
        Segmentation(small)


def test_a_standard_of_its_own_and_one_that_it_does_not_know(recipe: Recipe) -> None:
    text = STANDARDS.replace(VOCABULARY, "").replace("[training]\n", START_LINE)
    assert Segmentation(loads(text)).indexer.standards == ("one", "two")
    with pytest.raises(FenjieError, match="no standard 'three'; expected one or two"):
        Segmentation(loads(text.replace('"two"', '"three"')))


def test_a_recipe_that_does_not_fit_is_refused(recipe: Recipe, tmp_path: Path) -> None:
    for changed, message in (
        (replace(recipe, model=replace(recipe.model, hidden=48)), r"\[model\] hidden .* 48, .* 32"),
        (
            replace(recipe, text=replace(recipe.text, latin=not recipe.text.latin)),
            "latin is not that of",
        ),
    ):
        with pytest.raises(FenjieError, match=message):
            Segmentation(changed)
    assert Segmentation(replace(recipe, model=replace(recipe.model, dropout=0.3)))
    path = tmp_path / "own.toml"
    path.write_text(dumps(recipe).replace("hidden = 32", "hidden = 48"))
    line = path.read_text().splitlines().index("hidden = 48") + 1
    message = rf"own\.toml:{line}: start: \[model\] hidden"
    with pytest.raises(FileError, match=message), reading(path):
        Segmentation(load(path))


def test_a_vocabulary_beside_a_start_is_refused(recipe: Recipe) -> None:
    with pytest.raises(FenjieError, match="bigrams is that of the model to start from"):
        loads(RECIPE.replace("[training]\n", START_LINE))


def test_a_model_of_entities_is_no_segmenter(recipe: Recipe) -> None:
    other = replace(recipe, training=replace(recipe.training, start="ner"))
    with pytest.raises(FileError, match="a segmenter starts from one of its kind"):
        Segmentation(other)


def test_weights_of_another_model_are_refused(recipe: Recipe, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in Path("first/model").iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    weights = load_file(copy / WEIGHTS)
    weights.pop("embedding.characters.weight")
    save_file(weights, copy / WEIGHTS)
    seal(copy)
    with pytest.raises(FileError, match=r"not the weights of this model: .*embedding\.characters"):
        Segmentation(replace(recipe, training=replace(recipe.training, start=str(copy))))


def test_the_recipe_can_be_read_again(recipe: Recipe, tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(
        RECIPE.replace(VOCABULARY, "").replace("[training]\n", START_LINE), encoding="utf-8"
    )
    assert load(path) == recipe
