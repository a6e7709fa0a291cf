"""Training a model of entities from end to end: stopped and resumed, on one's own labels."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

import numpy as np
from rich.console import Console
from safetensors.numpy import load_file
from typer.testing import CliRunner

from fenjie.cli import app
from fenjie.corpus import write
from fenjie.errors import FenjieError
from fenjie.evaluation import word_scores
from fenjie.lexicon.units import UnitVectors
from fenjie.recipe.recipe import load, loads
from fenjie.runtime.folder import ModelFolder
from fenjie.store.load import predict
from fenjie.tasks.corpora import checksums
from fenjie.tasks.make import make_task
from fenjie.text.span import Sentence, Span
from fenjie.training import run_folder
from fenjie.training.loop import Run
from fenjie.training.run import own_data, run_training
from tests.integration.tiny_entities import RECIPE, WORDS, train

QUIET = Console(file=io.StringIO())


class StoppedError(BaseException):
    """Stands for a kill."""


@pytest.mark.slow
def test_stopped_and_resumed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = train("whole")
    work, done = Run._learn, 0

    def stopping(self: Run, *arguments: object) -> None:
        nonlocal done
        done += 1
        if done % 7 == 0:
            raise StoppedError
        work(self, *arguments)

    monkeypatch.setattr(Run, "_learn", stopping)
    stops = 0
    while True:
        try:
            resumed = train("out", resume=True)
            break
        except StoppedError:
            stops += 1
        assert stops < 50
    assert stops > 2
    assert (resumed.dev, resumed.test) == (whole.dev, whole.test)
    left, right = (load_file(Path(name) / run_folder.CHECKPOINT) for name in ("whole", "out"))
    assert left.keys() == right.keys()
    for name in left:
        np.testing.assert_array_equal(left[name], right[name], err_msg=name)


def test_of_equal_dev_scores_the_last_counts(folder: Path) -> None:
    train("first")
    recipe = load(Path("recipe.toml"))
    still = replace(recipe.training, start="first", learning_rate=1e-12)
    result = run_training(replace(recipe, training=still), Path("out"), console=QUIET)
    assert result.dev.f1 > 0
    assert result.epoch == recipe.training.epochs


def test_lists_are_learnt_without_their_marks_too(folder: Path) -> None:
    names = [Span(0, 3, "PER"), Span(4, 6, "PER")]
    write([Sentence("王小明、李雷来了", tuple(names))] * 10, "train.bmes", "columns")
    plain = make_task(load(Path("recipe.toml")))
    text = RECIPE.replace("dev = 0.2", 'dev = 0.2\nlists = ["PER"]')
    both = make_task(loads(text))

    assert plain.lengths == [8] * 8
    assert both.lengths == [8] * 8 + [7] * 8
    assert both.held == plain.held == 2
    with pytest.raises(FenjieError, match="found 'LOC'; expected some of PER"):
        make_task(loads(text.replace('"PER"', '"LOC"')))


@pytest.mark.parametrize(
    ("least", "passes"),
    [
        (32, 1),
        (33, 2),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in ((0, 1), (100, 4))),
    ],
)
def test_few_sentences_are_gone_through_more_often(folder: Path, least: int, passes: int) -> None:
    # 48 sentences in batches of 6, 4 epochs: 32 steps
    text = RECIPE.replace("epochs = 4", f"epochs = 4\nsteps = {least}")
    said = io.StringIO()
    run_training(loads(text), Path("out"), console=Console(file=said, width=1000))
    assert f" {32 * passes} steps" in said.getvalue()
    assert (f"each epoch {passes} times" in said.getvalue()) == (passes > 1)


def test_the_norm_of_sparse_gradients_is_bounded(folder: Path) -> None:
    recipe = load(Path("recipe.toml"))
    found = []
    for name, change in (("bounded", {"clip": 1e-9}), ("still", {"learning_rate": 0.0})):
        training = replace(recipe.training, epochs=1, clip_value=0.0, **change)
        result = run_training(replace(recipe, training=training), Path(name), console=QUIET)
        found.append(load_file(result.model / "model.safetensors"))
    for name, weight in found[0].items():
        np.testing.assert_allclose(weight, found[1][name], rtol=0, atol=1e-7, err_msg=name)


@pytest.mark.slow
def test_what_a_run_leaves(folder: Path) -> None:
    result = train("out")
    assert result.dev.f1 > 0.5, "names that stand in the training text are learnt"
    model = ModelFolder.open(result.model)
    assert model.tags.labels == ("LOC", "PER")
    assert model.words is not None and len(model.words.lexicon) == len(WORDS)
    gold = "今天张 三去了北京。"
    (found,) = predict(model, [gold])
    assert found.text == gold
    for span in found.spans:
        assert gold[span.start : span.end].strip() == gold[span.start : span.end]
    card = (result.model / "README.md").read_text(encoding="utf-8")
    assert "named entities" in card and "in blocks spread over it" in card
    scores = result.test["test.jsonl"]
    again = predict(model, [gold])
    assert again == [found] and scores.gold > 0


@pytest.mark.slow
def test_own_data(folder: Path) -> None:
    mine = Path("mine")
    mine.mkdir()
    for name in ("train.bmes", "test.jsonl"):
        content = Path(name).read_text(encoding="utf-8")
        (mine / name).write_text(content, encoding="gb18030")
        Path(name).unlink()
    text = RECIPE.replace("epochs = 4", "epochs = 1").replace("train.bmes", "missing.bmes")
    text = text.replace("[data]", '[data]\npassage = 64\nencoding = "gb18030"')
    Path("recipe.toml").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(app, ["train", "recipe.toml", "--data", "mine"])
    assert done.exit_code == 0, done.output
    assert "F1" in done.output and Path("runs/recipe-mine/model/README.md").is_file()
    assert ModelFolder.open("runs/recipe-mine/model").passage == 64


def test_data_of_brat_are_two_files_each(folder: Path) -> None:
    mine = Path("mine")
    mine.mkdir()
    for kind in ("train", "dev", "test"):
        write([Sentence("我在北京", (Span(2, 4, "LOC"),))], mine / f"{kind}.ann", "brat")
    data = own_data(mine)
    dev = data.dev if isinstance(data.dev, tuple) else ()
    names = [Path(name).name for name in (*data.train, *dev, *data.test)]
    assert names == ["train.ann", "dev.ann", "test.ann"]
    assert {Path(name).suffix for name in checksums(data)} == {".ann", ".txt"}
    (mine / "train.jsonl").touch()
    with pytest.raises(FenjieError, match=r"one file train\.\*; there is train\.ann, train\.jsonl"):
        own_data(mine)


def test_bad_data(folder: Path) -> None:
    Path("train.bmes").write_text("", encoding="utf-8")
    with pytest.raises(FenjieError, match=r"train\.bmes"):
        train("out")
    overlapping = '{"text": "北京市", "spans": [[0, 2, "LOC"], [1, 3, "LOC"]]}\n'
    Path("train.jsonl").write_text(overlapping, encoding="utf-8")
    text = RECIPE.replace("train.bmes", "train.jsonl")
    Path("recipe.toml").write_text(text, encoding="utf-8")
    with pytest.raises(FenjieError, match=r"train\.jsonl.*overlap"):
        train("out")
    assert not Path("out").exists()
    with pytest.raises(FenjieError, match="one file train"):
        run_training(Path("recipe.toml"), data=folder / "vectors")
    with pytest.raises(FenjieError, match="nowhere: is no folder; expected one with a file train"):
        run_training(Path("recipe.toml"), data=folder / "nowhere")
    write([Sentence("北京", (Span(0, 2, "LOC"),))] * 9, "train.bmes", "columns")
    Path("recipe.toml").write_text(RECIPE.replace('"vectors"', '"nowhere"'), encoding="utf-8")
    with pytest.raises(FenjieError, match="nowhere"):
        train("out")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('train = ["blank.jsonl"]\ndev = ["test.jsonl"]\n', "no sentence is left to train on"),
        (
            '[[data.corpora]]\ntrain = ["again.jsonl"]\ndev = 0.25\nlabels = { LOC = "LOC" }\n',
            "no sentence is left to train on",
        ),
        ('train = ["plain.jsonl"]\ndev = ["test.jsonl"]\n', "no entity to learn from"),
    ],
)
def test_nothing_to_train_on(folder: Path, data: str, message: str) -> None:
    """Of whitespace nothing is left, and of one text none that is not held out."""
    write([Sentence(" ", ())] * 4, "blank.jsonl", "jsonl")
    write([Sentence("去北京", ())] * 4, "plain.jsonl", "jsonl")
    write([Sentence("去北京", (Span(1, 3, "LOC"),))] * 4, "again.jsonl", "jsonl")
    before, after = RECIPE.partition("[data]")[0], RECIPE[RECIPE.index("[vocabulary]") :]
    given = data if data.startswith("[[") else f"[data]\n{data}"
    Path("recipe.toml").write_text(before + given + after, encoding="utf-8")
    with pytest.raises(FenjieError, match=message):
        train("out")
    assert not Path("out").exists()


def test_changed_vectors_are_noticed(folder: Path) -> None:
    train("out")
    numbers = np.random.default_rng(4)
    words = [*WORDS, "北", "京"]
    UnitVectors.build(words, [1] * len(words), numbers.normal(size=(len(words), 50))).save(
        folder / "vectors", "words"
    )
    with pytest.raises(FenjieError, match=r"^vectors/words.npy has changed since the run in out"):
        train("out", resume=True)


def test_a_dev_without_a_mention(folder: Path) -> None:
    """No F1 of it is above 0; the last model is kept, not the first."""
    write([Sentence("今天天气很好。", ())] * 3, folder / "dev.jsonl", "jsonl")
    text = RECIPE.replace("dev = 0.2", 'dev = ["dev.jsonl"]')
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    assert train("out").epoch == 4


def test_a_tagger_of_words_is_scored_as_it_segments(folder: Path) -> None:
    words = ["今天", "在", "北京", "喜欢", "3.5%", "，", "天气", "abc", "。"]
    sentences = [Sentence.from_words(words[at:] + words[:at]) for at in range(9)] * 4
    for name in ("train.txt", "test.txt"):
        write(sentences, folder / name, "spaced")
    recipe = RECIPE.replace("train.bmes", "train.txt").replace("test.jsonl", "test.txt")
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    result = train("words")
    texts = [sentence.text for sentence in sentences]
    answers = predict(ModelFolder.open(folder / "words" / "model"), texts)
    assert all(answer.tiled for answer in answers)
    found = word_scores.score(sentences, answers, set(words))
    assert found.f1 == result.test["test.txt"].f1
