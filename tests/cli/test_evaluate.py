"""`fenjie evaluate` on two annotated files, and on a model of entities."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from fenjie.cli import app, prediction
from fenjie.corpus import write
from fenjie.errors import FenjieError
from fenjie.runtime.folder import ModelFolder
from fenjie.text.span import Sentence, Span
from fenjie.text.tags import TagSet
from tests.command_line import fenjie


def sentence(text: str, *spans: tuple[int, int, str]) -> Sentence:
    return Sentence(text, tuple(Span(*span) for span in spans))


GOLD = [
    sentence("李雷在北京市[bold]说", (0, 2, "PER"), (3, 6, "LOC")),
    sentence("没有"),
    sentence("三号和秦皇岛", (0, 2, "DATE"), (3, 6, "LOC")),
]
PREDICTED = [
    sentence("李雷在北京市[bold]说", (0, 2, "PER"), (3, 5, "LOC")),
    sentence("没有"),
    sentence("三号和秦皇岛", (3, 6, "LOC")),
]
TRAINING = [sentence("李雷去秦皇岛", (0, 2, "PER"), (3, 6, "LOC"))]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(GOLD, "gold.bmes", "columns")
    write(PREDICTED, "predicted.jsonl", "jsonl")
    write(TRAINING, "train.ann", "brat")


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["evaluate", *arguments], env={"COLUMNS": "160"})
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def cells(output: str, head: str) -> list[str]:
    (line,) = (line for line in output.splitlines() if line.split()[:1] == [head])
    return line.split()[1:]


@pytest.mark.usefixtures("files")
def test_two_files() -> None:
    shown = run("--predicted", "predicted.jsonl", "gold.bmes")
    assert cells(shown, "all") == ["66.67", "50.00", "57.14", "4", "3", "2"]
    assert cells(shown, "DATE") == ["–", "0.00", "0.00", "1", "0", "0"]
    assert cells(shown, "3") == ["100.00", "50.00", "66.67", "2", "1", "1"]
    assert "Span F 57.14, Type Acc 100.00" in shown
    assert "seen" not in shown and "labels" not in shown and "sentence 1" not in shown

    values = json.loads(run("--predicted", "predicted.jsonl", "gold.bmes", "--json"))
    assert (values["model"], values["file"]) == ("predicted.jsonl", "gold.bmes")
    assert (values["gold"], values["predicted"], values["correct"]) == (4, 3, 2)
    assert values["labels"]["LOC"]["f1"] == 0.5
    assert (values["seen"], values["unknown_labels"]) == (None, {})
    assert "errors" not in values and "diff" not in values


@pytest.mark.usefixtures("files")
def test_training_errors_and_diff() -> None:
    options = ("--predicted", "predicted.jsonl", "gold.bmes", "--train", "train.ann")
    shown = run(*options, "--errors", "5", "--diff", "1")
    assert "labels that the training data does not have, counted as missed: DATE (1)" in shown
    (seen,) = (line for line in shown.splitlines() if line.startswith("seen in training"))
    assert seen.split()[3:] == ["100.00", "100.00", "100.00", "2", "2", "2"]
    assert "李雷在[北京市]" in shown
    assert "sentence 1 · boundary: 北京市 LOC → 北京 LOC" in shown
    assert "  gold       [李雷 PER]在[北京市 LOC][bold]说" in shown
    assert "  predicted  [李雷 PER]在[北京 LOC]市[bold]说" in shown
    assert "sentence 3" not in shown
    assert "… 1 more sentences differ" in shown

    values = json.loads(run(*options, "--errors", "1", "--diff", "9", "--json"))
    assert values["unknown_labels"] == {"DATE": 1}
    assert values["errors"]["kinds"]["boundary"] == 1
    assert len(values["errors"]["confusions"]) == 1
    assert values["errors"]["confusions"][0]["gold"] == ["三号", "DATE"]
    assert [block["sentence"] for block in values["diff"]] == [1, 3]


@pytest.mark.usefixtures("files")
def test_words_in_two_files() -> None:
    write([Sentence.from_words(["我", "在", "北京"])], "gold.txt", "spaced")
    write([Sentence.from_words(["我在", "北京"])], "other.txt", "spaced")
    values = json.loads(run("--predicted", "other.txt", "gold.txt", "--json", "--errors", "3"))
    assert (values["gold"], values["predicted"], values["correct"]) == (3, 2, 1)
    assert values["errors"]["kinds"]["merged"] == 1
    assert "OOV" in run("--predicted", "other.txt", "gold.txt", "--train", "gold.txt")
    done = CliRunner().invoke(app, ["evaluate", "--predicted", "other.txt", "gold.txt", "--diff=1"])
    assert "expected --errors" in str(done.exception)


@pytest.mark.usefixtures("files")
def test_words_are_not_scored_as_entities(tiny_ner: Path) -> None:
    write([Sentence.from_words(["我", "在", "北京"])], "gold.txt", "spaced")
    done = CliRunner().invoke(app, ["evaluate", str(tiny_ner), "gold.txt"])
    assert isinstance(done.exception, FenjieError)
    assert "finds entities, and gold.txt holds words" in str(done.exception)


@pytest.mark.parametrize("option", ["--errors", "--diff"])
def test_a_number_below_0_is_refused(option: str) -> None:
    done = CliRunner().invoke(app, ["evaluate", "ner", "gold.bmes", option, "-1"])
    assert done.exit_code == 2 and option in done.stderr


@pytest.mark.usefixtures("files")
def test_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The labels that the model knows are its own, whatever training has."""
    folder = SimpleNamespace(
        finds_words=False, tags=TagSet(["LOC", "PER"]), check_standard=lambda name: None
    )

    def predict(opened: object, texts: Sequence[str], standard: str | None) -> list[Sentence]:
        assert opened is folder
        assert list(texts) == [s.text for s in GOLD]
        return PREDICTED

    monkeypatch.setattr(ModelFolder, "open", lambda path: folder)
    monkeypatch.setattr(prediction, "predict", predict)
    shown = run("model", "gold.bmes")
    assert "labels that the model does not have, counted as missed: DATE (1)" in shown
    assert cells(shown, "all")[2] == "57.14"
    assert "seen in training" in run("model", "gold.bmes", "--train", "train.ann")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.bmes"], "found 1 arguments; expected MODEL FILE, or --predicted FILE FILE"),
        (["--predicted", "a", "b", "c"], "found 2 arguments"),
        (["no-model", "gold.bmes"], "no model 'no-model'"),
        (
            ["--predicted", "train.ann", "gold.bmes"],
            "train.ann: does not go with gold.bmes: 1 predicted",
        ),
        (["--predicted", "none.txt", "gold.bmes"], "none.txt: cannot be read"),
        (["--predicted", "empty.jsonl", "gold.bmes", "--format", "jsonl"], "gold.bmes:1: not JSON"),
        (["--predicted", "other.jsonl", "gold.bmes"], "other.jsonl: does not go with gold.bmes: s"),
        (
            ["--predicted", "words.jsonl", "gold.bmes"],
            "words.jsonl: holds words, and gold.bmes does not",
        ),
        (["--predicted", "gold.bmes", "words.jsonl"], "gold.bmes: sentence 1 is not segmented"),
        (
            ["--predicted", "predicted.jsonl", "gold.bmes", "--train", "words.jsonl"],
            "words.jsonl: holds words, and gold.bmes does not",
        ),
        (
            ["--predicted", "words.jsonl", "words.jsonl", "--train", "gold.bmes"],
            "gold.bmes: sentence 1 is not segmented",
        ),
        (["--predicted", "words.jsonl", "words.jsonl", "--train", "empty.jsonl"], "holds no words"),
    ],
)
def test_what_cannot_be_evaluated(arguments: list[str], message: str) -> None:
    Path("empty.jsonl").write_text("\n")
    write([Sentence("他"), *GOLD[1:]], "other.jsonl", "jsonl")
    write([Sentence.from_words([sentence.text]) for sentence in GOLD], "words.jsonl", "jsonl")
    done = CliRunner().invoke(app, ["evaluate", *arguments])
    assert isinstance(done.exception, FenjieError)
    assert message in str(done.exception)


@pytest.mark.parametrize(
    "options", [("--errors", "3"), ("--diff", "3"), ("--json", "--errors", "3")]
)
def test_half_of_a_surrogate_pair_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    gold = sentence("李雷\ud800在北京", (0, 3, "PER"), (4, 6, "LOC\ud800"))
    write([gold], "gold.jsonl", "jsonl")
    write([Sentence(gold.text)], "predicted.jsonl", "jsonl")
    done = fenjie("evaluate", *options, "--predicted", "predicted.jsonl", "gold.jsonl")
    assert done.returncode == 0, done.stderr
    done = fenjie("compare", "predicted.jsonl", "gold.jsonl", "gold.jsonl", "--differences", "2")
    assert done.returncode == 0, done.stderr
    done = fenjie("compare", "predicted.jsonl", "gold.jsonl", "gold.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    assert fenjie("data", "stats", "gold.jsonl").returncode == 0
