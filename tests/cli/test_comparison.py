"""`fenjie compare` on annotated files and on models."""

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

TEXT = "李雷在北京市说"
BOTH = (Span(0, 2, "PER"), Span(3, 6, "LOC"))
GOLD = [Sentence(TEXT, BOTH)] * 4
RIGHT = [Sentence(TEXT, BOTH)] * 3 + [Sentence(TEXT, BOTH[:1])]
WRONG = [Sentence(TEXT, BOTH[:1])] * 3 + [Sentence(TEXT, (Span(0, 2, "LOC"),))]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(GOLD, "gold.bmes", "columns")
    for name, answers in (("a-1", WRONG), ("a-2", GOLD), ("b-1", RIGHT), ("b-10", GOLD)):
        write(answers, f"{name}.jsonl", "jsonl")
    write([Sentence.from_words(["我", "在", "北京"])], "gold.txt", "spaced")
    write([Sentence.from_words(["我在", "北京"])], "other.txt", "spaced")
    write([Sentence.from_words(["李雷", "在", "北京市", "说"])] * 4, "cut.txt", "spaced")


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["compare", *arguments], env={"COLUMNS": "160"})
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def test_two_files() -> None:
    shown = run("a-1.jsonl", "b-1.jsonl", "gold.bmes", "--differences", "1")
    assert "A  a-1.jsonl" in shown and "entities of gold.bmes" in shown
    assert "50.00" in shown and "93.33" in shown and "B − A +43.33" in shown
    assert "4 sentences are answered differently; F1 of B is higher in 4, of A in 0" in shown
    assert "sentence 1 · right of 2: A 1, B 2" in shown and "… 3 more sentences differ" in shown
    assert "t-test" not in shown and "first run" not in shown

    values = json.loads(run("a-1.jsonl", "b-1.jsonl", "gold.bmes", "--json", "--differences", "2"))
    assert (values["task"], values["sentences"], values["different"]) == ("entities", 4, 4)
    assert values["a"]["f1"] == [0.5] and values["b"]["precision"] == 1
    assert values["difference"] == pytest.approx(0.4333, abs=1e-4)
    assert values["interval"][0] <= values["difference"] <= values["interval"][1]
    assert values["p_t_test"] is None and 0 < values["p_randomisation"] <= 1
    assert [block["sentence"] for block in values["differences"]] == [1, 2]


def test_places_alone() -> None:
    values = json.loads(run("a-1.jsonl", "b-1.jsonl", "gold.bmes", "--spans", "--json"))
    assert values["a"]["f1"] == [pytest.approx(8 / 12)]  # 李雷 as a place is right now
    with pytest.raises(FenjieError, match="--spans is for entities; found words"):
        fails("other.txt", "gold.txt", "gold.txt", "--spans")


def test_a_sentence_in_which_there_is_nothing_to_find() -> None:
    write([*GOLD, Sentence("没有")], "more.bmes", "columns")
    write([*GOLD, Sentence("没有", (Span(0, 1, "PER"),))], "spurious.jsonl", "jsonl")
    shown = run("more.bmes", "spurious.jsonl", "more.bmes")
    assert "1 sentences are answered differently; F1 of B is higher in 0, of A in 1" in shown


def test_runs() -> None:
    values = json.loads(run("a-1.jsonl,a-2.jsonl", "b-*.jsonl", "gold.bmes", "--json"))
    assert values["a"]["f1"] == [0.5, 1] and values["b"]["f1"] == [pytest.approx(14 / 15), 1]
    assert 0 < values["p_t_test"] < 1
    shown = run("a-*.jsonl", "b-*.jsonl", "gold.bmes", "--differences", "1")
    assert "t-test over 2 runs" in shown and "of the first run of each" in shown
    shown = run("a-2.jsonl,a-2.jsonl", "gold.bmes,a-1.jsonl", "gold.bmes")
    assert "0 sentences are answered differently by the first runs; over all runs, F1 of B" in shown


def test_words() -> None:
    values = json.loads(run("other.txt", "gold.txt", "gold.txt", "--json", "--samples", "200"))
    assert values["task"] == "words" and values["b"]["f1"] == [1]
    assert values["a"]["f1"] == [pytest.approx(0.4)]


def test_the_samples_are_bounded() -> None:
    done = CliRunner().invoke(app, ["compare", "a", "b", "c", "--samples", str(10**12)])
    assert done.exit_code == 2 and "100<=x<=1000000" in done.output


def test_models(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(path: str) -> SimpleNamespace:
        check = lambda standard: None  # noqa: E731
        return SimpleNamespace(path=path, finds_words="ner" not in path, check_standard=check)

    def predict(
        folder: SimpleNamespace, texts: Sequence[str], standard: str | None
    ) -> list[Sentence]:
        return RIGHT if folder.path == "ner-right" else WRONG

    monkeypatch.setattr(ModelFolder, "open", opened)
    monkeypatch.setattr(prediction, "predict", predict)
    values = json.loads(run("ner-wrong", "ner-right", "gold.bmes", "--json"))
    assert values["b"]["f1"] == [pytest.approx(14 / 15)]
    with pytest.raises(FenjieError, match="cutter finds words, ner-right entities; expected one"):
        fails("cutter", "ner-right", "gold.bmes")
    with pytest.raises(FenjieError, match="ner-right finds entities, and the file holds words"):
        fails("other.txt", "ner-right", "gold.txt")
    with pytest.raises(FenjieError, match=r"gold\.bmes: sentence 1 is not segmented"):
        fails("cutter", "cutter", "gold.bmes")


def fails(*arguments: str) -> None:
    done = CliRunner().invoke(app, ["compare", *arguments])
    assert done.exception is not None
    raise done.exception


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none", "a-1.jsonl", "gold.bmes"], "no file, no model 'none'"),
        (["none-*", "a-1.jsonl", "gold.bmes"], "nothing matches 'none-\\*'"),
        ([",", "a-1.jsonl", "gold.bmes"], "found no name of a model or file"),
        (["a-1.jsonl", "b-*.jsonl", "gold.bmes"], "A has 1 runs, B has 2; expected as many"),
        (["a-1.jsonl", "other.txt", "gold.bmes"], "other.txt: does not go with gold.bmes: 1 pred"),
        (["a-1.jsonl", "cut.txt", "gold.bmes"], "cut.txt: holds words, and gold.bmes does not"),
        (["a-1.jsonl", "b-1.jsonl", "none.bmes"], "none.bmes"),
        (["a-1.jsonl", "b-1.jsonl", "gold.bmes", "--standard", "pku"], "--standard is for a model"),
    ],
)
def test_what_cannot_be_compared(arguments: list[str], message: str) -> None:
    with pytest.raises(FenjieError, match=message):
        fails(*arguments)
