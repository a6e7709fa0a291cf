"""Corpora of two standards train one segmenter, and whoever asks has its words by either."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

import fenjie
from fenjie.errors import FenjieError
from fenjie.evaluation.standard_scores import StandardScores
from fenjie.export import export
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.segmenter import Segmenter
from fenjie.serve.limits import RefusedError
from fenjie.serve.taggers import Models
from fenjie.store.load import predict
from fenjie.training.loop import Result
from tests.command_line import fenjie as run
from tests.integration.tiny_run import RECIPE, sentences, train

pytestmark = pytest.mark.slow  # the training

DATA = """\
[[data.corpora]]
standard = "long"
train = ["long.txt"]
dev = 0.2
test = ["test.txt"]

[[data.corpora]]
standard = "short"
train = ["short.txt"]
dev = 0.2
weight = 2.0
"""
TEXT = "北京市场价格上涨"
SHORT = list(TEXT)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A model that knows words, and each character as a word."""
    folder = tmp_path_factory.mktemp("standards")
    for name, count, seed in (("long", 150, 1), ("short", 60, 2), ("test", 20, 3)):
        kept = [list("".join(ws)) if name == "short" else ws for ws in sentences(count, seed)]
        lines = "".join(" ".join(words) + "\n" for words in kept)
        (folder / f"{name}.txt").write_text(lines, encoding="utf-8")
    recipe = folder / "two.toml"
    text = DATA + RECIPE[RECIPE.index("[vocabulary]") :].replace("epochs = 3", "epochs = 8")
    recipe.write_text(text.replace("bigrams = 2", "bigrams = 2\nwords = 1"), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = train(recipe, str(folder / "run"))
    export(result.model)
    return result


@pytest.fixture
def model(trained: Result) -> Path:
    return trained.model


def test_both_standards_are_learnt_and_scored(trained: Result) -> None:
    assert isinstance(trained.dev, StandardScores)
    assert trained.dev.standards.keys() == {"long", "short"}
    assert trained.dev.standards["short"].f1 > 0.9
    assert trained.test["test.txt"].f1 > 0.8
    card = (trained.model / "README.md").read_text(encoding="utf-8")
    assert "| dev, long |" in card and "| dev, short |" in card
    saved = json.loads((trained.model.parent / "scores.json").read_text(encoding="utf-8"))
    assert saved["dev"]["standards"].keys() == {"long", "short"}


def test_words_by_either_standard(model: Path) -> None:
    long, short = fenjie.load(model), fenjie.load(model, standard="short")
    assert isinstance(long, Segmenter) and isinstance(short, Segmenter)
    assert (long.standard, short.standard) == ("long", "short")
    assert short.cut(TEXT) == SHORT and "价格" in long.cut(TEXT)
    assert fenjie.load(model, standard="long")(TEXT) == long(TEXT)
    assert long.by("short")(TEXT) == short(TEXT) and short.by(None)(TEXT) == long(TEXT)
    assert long.copy().by("short").copy()(TEXT) == short(TEXT)
    assert pickle.loads(pickle.dumps(short))(TEXT) == short(TEXT)
    long.words.add(["格上"], force=True)
    assert "格上" in long.by("short").cut(TEXT)
    folder = ModelFolder.open(model)
    assert predict(folder, [TEXT], "short")[0].words == SHORT
    assert predict(folder, [TEXT])[0] == fenjie.load(model)(TEXT)


def test_a_standard_that_the_model_does_not_know(model: Path, tiny_model: Path) -> None:
    with pytest.raises(FenjieError, match=r"no standard 'ctb'; expected long or short$"):
        fenjie.load(model, standard="ctb")
    with pytest.raises(FenjieError, match="no standard 'ctb'"):
        fenjie.load(model).by("ctb")
    with pytest.raises(FenjieError, match="no standard 'pku'; expected none, since the model has"):
        fenjie.load(tiny_model, standard="pku")
    with pytest.raises(FenjieError, match="no standard 'pku'"):
        fenjie.load("ner", standard="pku")


def test_the_command_line(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text(TEXT + "\n", encoding="utf-8")
    done = run("segment", "-m", model, "--standard", "short", page)
    assert done.stdout.decode().split() == SHORT
    gold = tmp_path / "gold.txt"
    gold.write_text(" ".join(SHORT) + "\n", encoding="utf-8")
    scores = json.loads(run("evaluate", model, gold, "--standard", "short", "--json").stdout)
    assert scores["f1"] == 1
    assert json.loads(run("evaluate", model, gold, "--json").stdout)["f1"] < 1
    for command in (("segment", "-m", model, page), ("evaluate", model, gold)):
        wrong = run(*command, "--standard", "ctb")
        message = wrong.stderr.decode()
        assert wrong.returncode == 2 and message.count("\n") == 1
        assert "no standard 'ctb'; expected long or short" in message
    assert "standards long, short" in run("models", model).stdout.decode()


def test_requests_name_a_standard(model: Path) -> None:
    (found,) = Models.load([str(model)])
    assert found.standards == ["long", "short"]
    assert list(found.by("short")(TEXT).words) == SHORT
    assert "格上" in found.with_words(["格上"], "short").words
    assert found.by(None) is found.tagger
    with pytest.raises(RefusedError, match="standard: no such standard; two knows long, short"):
        found.by("ctb")
