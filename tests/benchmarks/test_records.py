"""The records of runs: added, merged, and set aside where a recipe has changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.reproduce import runs as reproduce
from benchmarks.reproduce.records import Records, collect
from benchmarks.reproduce.runs import Job, state
from benchmarks.training import cells
from fenjie.errors import FenjieError
from fenjie.recipe.recipe import load, loads
from tests.benchmarks.small_table import RECIPE, finish, run, write_repository


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one table and its recipes."""
    monkeypatch.chdir(tmp_path)
    write_repository(tmp_path)
    return tmp_path


def test_records_are_merged_by_recipe_and_seed() -> None:
    text = RECIPE.format(epochs=1)
    records = Records(Path("records.json"))
    for seed, f1 in ((1, 0.1), (3, 0.3), (2, 0.2), (3, 0.4)):
        records.add("a.toml", text, run(seed, f1))
    records.add("b.toml", text, run(1, 0.9))
    records.save()
    records = Records(Path("records.json"))
    assert list(records) == ["a.toml", "b.toml"]
    found = [(r["seed"], r["test"]["test.txt"]["f1"]) for r in records.runs("a.toml")]
    assert found == [(1, 0.1), (2, 0.2), (3, 0.4)]
    assert not records.runs("c.toml")


def test_two_that_add_runs_at_a_time_lose_none() -> None:
    text = RECIPE.format(epochs=1)
    one, other = Records(Path("records.json")), Records(Path("records.json"))
    one.add("a.toml", text, run(1, 0.1))
    one.save()
    other.add("a.toml", text, run(2, 0.2))
    other.save()
    one.add("b.toml", text, run(1, 0.3))
    one.save()
    records = Records(Path("records.json"))
    assert [r["seed"] for r in records.runs("a.toml")] == [1, 2]
    assert [r["seed"] for r in records.runs("b.toml")] == [1]


def test_runs_of_another_form_of_a_recipe_do_not_count_and_give_way() -> None:
    text = RECIPE.format(epochs=1)
    records = Records(Path("records.json"))
    records.add("a.toml", text, run(1, 0.1))
    assert records.runs("a.toml", loads(text + "seed = 8\n"))
    longer = RECIPE.format(epochs=2)
    assert records.changed("a.toml", loads(longer)) == "training.epochs was 1, now 2"
    assert not records.runs("a.toml", loads(longer))
    records.add("a.toml", longer, run(2, 0.2))
    assert [r["seed"] for r in records.runs("a.toml")] == [2]


def test_a_file_that_holds_no_records_is_refused() -> None:
    Path("records.json").write_text("[1]")
    with pytest.raises(FenjieError, match=r"records\.json: holds no records of runs"):
        Records(Path("records.json"))


def test_a_finished_run_is_recorded_with_its_machine() -> None:
    job = Job("recipes/one.toml", 2)
    finish(job, 0.75)
    found = collect(job.folder)
    assert found["training"] == ["seed 2; best after step 9", "machine: one\n  and more"]
    Path("benchmarks/results").mkdir(parents=True)
    reproduce.record(job, Path("benchmarks/results/training.json"))
    assert state(job, Records()) == "recorded"
    with pytest.raises(FenjieError, match="runs/one-9: holds no finished run"):
        collect(Path("runs/one-9"))


def test_a_run_on_record_is_new_where_records_do_not_count() -> None:
    job = Job("recipes/one.toml", 2)
    records = Records(Path("records.json"))
    records.add(job.recipe, RECIPE.format(epochs=1), run(2, 0.5))
    assert state(job, records) == "recorded" and state(job, None) == "new"
    finish(job)
    assert state(job, None) == "finished"


def test_a_run_without_a_test_file_is_recorded_without_a_score_on_test() -> None:
    job = Job("recipes/one.toml", 2)
    finish(job, 0.75)
    scores = job.folder / "scores.json"
    found = json.loads(scores.read_text(encoding="utf-8")) | {"test": {}}
    scores.write_text(json.dumps(found), encoding="utf-8")
    assert cells([collect(job.folder)]) == ["75.00", "–", "–"]


def test_runs_of_a_recipe_whose_base_changed_since_do_not_count() -> None:
    Path("recipes/based.toml").write_text('base = "one.toml"\n', encoding="utf-8")
    job = Job("recipes/based.toml", 2)
    finish(job)
    reproduce.record(job, Path("records.json"))
    records = Records(Path("records.json"))
    assert state(job, records) == "recorded"
    Path("recipes/one.toml").write_text(RECIPE.format(epochs=7))
    assert records.changed(job.recipe, load(Path(job.recipe))) == "training.epochs was 1, now 7"


def test_a_run_whose_recipe_changed_meanwhile_is_not_recorded() -> None:
    job = Job("recipes/one.toml", 2)
    finish(job)
    Path(job.recipe).write_text(RECIPE.format(epochs=7))
    with pytest.raises(FenjieError, match=r"another form of recipes/one\.toml: training\.epochs"):
        reproduce.record(job, Path("records.json"))
    assert not Path("records.json").exists()
