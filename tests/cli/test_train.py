"""`fenjie train`: where the run goes, and what is printed at its end."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from fenjie.evaluation.word_scores import score
from fenjie.text.span import Sentence
from fenjie.training import run
from tests.command_line import fenjie

WORDS = [Sentence.from_words(["今天", "好"])]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Training that is only written down."""
    found: list[tuple[Any, ...]] = []

    def trained(recipe: Path, output: Path | None, **options: Any) -> SimpleNamespace:
        found.append((recipe, output, options))
        scores = score(WORDS, WORDS)
        return SimpleNamespace(
            dev=scores, test={"test.txt": scores}, step=1200, epoch=3, model=Path("runs/a/model")
        )

    monkeypatch.setattr(run, "run_training", trained)
    return found


def test_options_reach_the_run_and_scores_are_printed(calls: list[tuple[Any, ...]]) -> None:
    done = fenjie("train", "a.toml", "-o", "out", "--seed", 3, "--resume")
    assert done.returncode == 0, done
    options = {"resume": True, "seed": 3, "data": None}
    assert calls == [(Path("a.toml"), Path("out"), options)]
    shown = done.stdout.decode()
    assert [line.split()[0] for line in shown.splitlines()[1:3]] == ["dev", "test.txt"]
    assert "100.00" in shown
    assert "best after step 1,200 (epoch 3); model in runs/a/model" in shown


def test_no_line_of_a_pipe_is_broken(calls: list[tuple[Any, ...]]) -> None:
    done = fenjie("train", "a.toml", variables={"COLUMNS": "40"})
    last = "best after step 1,200 (epoch 3); model in runs/a/model"
    assert done.stdout.decode().splitlines()[-1] == last


def test_a_seed_out_of_range_is_a_wrong_option(calls: list[tuple[Any, ...]]) -> None:
    done = fenjie("train", "a.toml", "--seed", 2**63)
    assert (done.returncode, calls) == (2, [])
    assert "Invalid value for '--seed'" in done.stderr.decode()


def test_only_the_first_of_several_processes_speaks(calls: list[tuple[Any, ...]]) -> None:
    done = fenjie("train", "a.toml", variables={"RANK": "1"})
    assert (done.returncode, done.stdout) == (0, b"")
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("there", "missing", "message"),
    [
        ("'gold.jsonl'", "'gold.txt'", "{}:4: gold.txt: no such file; looked for "),
        ("'ner'", "'nope'", "{}:6: nope: neither a model that comes with fenjie (ner, ner-small,"),
        ("= 'PER'", "= 'FILM'", "{}:7: start_labels: ner has no label 'FILM'; expected some of B"),
        ("NAME =", "TV =", "{}:7: start_labels: the training data has no label 'TV'; expected "),
    ],
)
def test_what_is_missing_is_named_with_the_line_of_the_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str, missing: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    gold, recipe = Path("gold.jsonl"), Path("a.toml")
    gold.write_text('{"text": "小明", "spans": [[0, 2, "NAME"]]}\n' * 9, encoding="utf-8")
    text = (
        'task = "ner"\narchitecture = "flat"\n[data]\n'
        "train = ['gold.jsonl']\n[training]\nstart = 'ner'\nstart_labels = { NAME = 'PER' }\n"
        "[vocabulary]\nbigrams = 2\n[model]\ndim = 128\nheads = 8\nhidden = 384\n"
    )
    recipe.write_text(text.replace(there, missing))
    done = fenjie("train", recipe, "-o", tmp_path / "run")
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[-1].startswith("fenjie: " + message.format(recipe))
