"""Searches over tiny runs: kept, resumed, shared, pruned, and their best recipe."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("optuna", reason="needs the extra `search`")
pytest.importorskip("accelerate", reason="needs the extra `train`")

from rich.console import Console
from typer.testing import CliRunner

from fenjie.cli import app
from fenjie.errors import FenjieError, FileError
from fenjie.evaluation.word_scores import WordScores
from fenjie.models.sams import SamsConfig
from fenjie.recipe.datasets import CorpusRecipe, DataRecipe
from fenjie.recipe.recipe import Recipe, load
from fenjie.training.loop import Result
from fenjie.tuning import tuning as module
from fenjie.tuning.study import JOURNAL
from fenjie.tuning.tuning import BEST, Search, untested
from tests.integration.tiny_run import environment, prepare

SPACE = """\
trials = 3
seed = 4

[space]
size = [8, 16]
training.learning_rate = { low = 1e-3, high = 1e-1, log = true }

[products]
model.dim = [2, "size"]
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    recipe, space = prepare(tmp_path, 60), tmp_path / "space.toml"
    space.write_text(SPACE, encoding="utf-8")
    return recipe, space


def trained(
    monkeypatch: pytest.MonkeyPatch, scores: dict[int, list[float]], others: Sequence[float] = ()
) -> list[str]:
    """Let runs only give the scores of each epoch.

    Args:
        monkeypatch: replaces the training.
        scores: of the first run of each trial.
        others: of the runs after the first.
    """
    runs: list[str] = []

    def run(recipe, output, *, resume, seed, console, watch):
        number = int(output.parent.name)
        assert resume and not recipe.data.tests
        runs.append(f"{number}/{seed}")
        output.mkdir(parents=True)
        (output / "model").mkdir()
        (output / "checkpoint.safetensors").write_text("")
        if not scores[number]:
            raise FenjieError("step 3: the loss is nan")
        found = scores[number] if seed == 1 else others
        for epoch, f1 in enumerate(found, 1):
            watch(epoch, f1)
        count = round(100 * max(found))
        dev = WordScores(100, 100, count, 0, 0)
        (output / "scores.json").write_text(json.dumps({"dev": dev.as_dict()}))
        return Result(output / "model", 1, 1, dev, {})

    monkeypatch.setattr(module, "run_training", run)
    return runs


def test_the_best_is_a_recipe(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    runs = trained(monkeypatch, {0: [0.5], 1: [0.7], 2: [0.6]})
    search = Search(*files, Path("out"))
    best = search.run(Console(quiet=True))
    assert (best.number, best.value) == (1, 0.7)
    recipe = load(Path("out") / BEST)
    assert recipe.data == load(files[0]).data  # the test files too
    drawn = search.rows()[1]["drawn"]
    assert recipe.model.dim == 2 * drawn["size"]
    assert recipe.training.learning_rate == drawn["training.learning_rate"]
    assert (Path("out") / BEST).read_text().startswith("# The best of 3 trials of ")
    assert runs == ["0/1", "1/1", "2/1"]
    for folder in Path("out/trials").glob("*/seed-1"):
        assert [path.name for path in folder.iterdir()] == ["scores.json"]

    # What is done is not done again; more trials may follow.
    assert Search(*files, Path("out")).run(Console(quiet=True)).number == 1
    trained(monkeypatch, {3: [0.4, 0.9]})
    assert Search(*files, Path("out"), trials=4).run(Console(quiet=True)).number == 3
    shown = CliRunner().invoke(app, ["search", *map(str, files), "-o", "out", "--show"])
    assert "90.00" in shown.output and "4 complete" in shown.output
    listed = CliRunner().invoke(app, ["search", *map(str, files), "-o", "out", "--show", "--json"])
    rows = json.loads(listed.output)
    assert [row["dev"] for row in rows] == [0.5, 0.7, 0.6, 0.9]
    assert [row["epochs"] for row in rows] == [1, 1, 1, 2]


def test_several_runs_a_trial(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    runs = trained(monkeypatch, {0: [0.5], 1: [0.7]}, [0.3, 0.4])
    files[1].write_text(SPACE.replace("trials = 3", "trials = 2\nruns = 2"))
    search = Search(*files, Path("out"))
    search.run(Console(quiet=True))
    assert runs == ["0/1", "0/2", "1/1", "1/2"]
    row = search.rows()[1]
    assert (row["runs"], row["dev"]) == ([0.7, 0.4], pytest.approx(0.55))
    assert row["epochs"] == 1, "those of the first run, by which trials are compared"


def test_pruned_and_failed(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    scores = {0: [0.5, 0.6, 0.6], 1: [0.5, 0.7, 0.7], 2: [], 3: [0.1, 0.2, 0.9], 4: [0.1, 0.9, 0.9]}
    trained(monkeypatch, scores)
    files[1].write_text(SPACE.replace("trials = 3", "trials = 5\nprune = 2\npatience = 2"))
    search = Search(*files, Path("out"))
    assert search.run(Console(quiet=True)).number == 4
    rows = search.rows()
    assert [row["state"] for row in rows] == ["complete", "complete", "fail", "pruned", "complete"]
    assert [row["epochs"] for row in rows] == [3, 3, 0, 2, 3]
    assert rows[2]["reason"] == "'step 3: the loss is nan'"


def test_all_fail(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    trained(monkeypatch, {number: [] for number in range(3)})
    with pytest.raises(FenjieError, match="3 trials failed, none succeeded; the last one: 'step 3"):
        Search(*files, Path("out")).run(Console(quiet=True))
    assert not (Path("out") / BEST).exists()


def test_failures_beside_a_success_end_nothing(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(monkeypatch, {0: [0.5], 1: [], 2: [], 3: [], 4: [0.6]})
    best = Search(*files, Path("out"), trials=5).run(Console(quiet=True))
    assert best.number == 4


def test_no_corpus_keeps_its_test_files() -> None:
    corpus = CorpusRecipe(("a.txt",), standard="pku", dev=("b.txt",), test=("c.txt",))
    other = replace(corpus, standard="msr", test=("d.txt",))
    recipe = Recipe(DataRecipe(corpora=(corpus, other)), SamsConfig())
    assert recipe.data.tests
    assert not untested(recipe).data.tests
    assert untested(recipe).data.corpora[1].train == ("a.txt",)


def test_a_dev_file_in_which_there_is_nothing_to_find(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(recipe, output, **_):
        output.mkdir(parents=True)
        dev = WordScores(0, 0, 0, 0, 0)
        (output / "scores.json").write_text(json.dumps({"dev": dev.as_dict()}))
        return Result(output / "model", 1, 1, dev, {})

    monkeypatch.setattr(module, "run_training", run)
    with pytest.raises(FenjieError, match="none succeeded; the last one: 'dev has no F1"):
        Search(*files, Path("out")).run(Console(quiet=True))
    search = Search(*files, Path("again"))
    trial = search.journal.ask()
    run(None, Path("again/trials/0000/seed-1"))  # killed after its run, before the journal knew
    search._try(trial, Console(quiet=True))
    assert search.rows()[0]["reason"].startswith("'dev has no F1")


def test_what_cannot_be_searched(files: tuple[Path, Path]) -> None:
    Search(*files, Path("out"))
    files[1].write_text(SPACE.replace("[8, 16]", "[8, 32]"))
    with pytest.raises(FenjieError, match="out: holds the search of another space"):
        Search(*files, Path("out"))
    files[1].write_text(SPACE)
    files[0].write_text(files[0].read_text().replace("epochs = 3", "epochs = 2"))
    with pytest.raises(FenjieError, match=r"holds the search of another recipe: training\.epochs"):
        Search(*files, Path("out"))
    files[1].write_text("[space]\nmodel.dims = [1, 2]\n")
    with pytest.raises(FenjieError, match="unknown key dims"):
        Search(*files, Path("other"))
    assert not Path("other").exists()
    files[1].write_text(SPACE)
    with pytest.raises(FileError, match=r"/other: cannot be written: Not a directory$"):
        Search(*files, files[1] / "other")
    done = CliRunner().invoke(app, ["search", *map(str, files), "-o", "none", "--show"])
    assert "none: holds no search" in str(done.exception)


def started(files: tuple[Path, Path]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "fenjie", "search", *map(str, files), "-o", "out"]
    return subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE)


@pytest.mark.slow
def test_killed_and_shared(files: tuple[Path, Path]) -> None:
    """A search that was killed, and then is done by two processes, is that of one process."""
    first = started(files)
    log = Path("out/trials/0000/seed-1/log.jsonl")
    while not (log.exists() and b'"dev"' in log.read_bytes()):
        assert first.poll() is None, first.stderr.read()
        time.sleep(0.02)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    workers = [started(files), started(files)]
    for worker in workers:
        assert worker.wait() == 0, worker.stderr.read()
    shared = Search(*files, Path("out"))
    alone = Search(*files, Path("alone"))
    alone.run(Console(quiet=True))
    assert shared.rows() == alone.rows()
    assert (Path("out") / BEST).read_text() == (Path("alone") / BEST).read_text()
    assert len((Path("out") / JOURNAL).read_bytes()) < 20_000
    sizes = [path.stat().st_size for path in Path("out").rglob("*") if path.is_file()]
    assert sum(sizes) < 100_000
