"""The runs of a published table, and what is printed of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks import machine
from benchmarks.reproduce import runs as reproduce
from benchmarks.reproduce.__main__ import epochs_done
from benchmarks.reproduce.__main__ import reproduce as command
from benchmarks.reproduce.comparison import compare, lines, markdown, measured
from benchmarks.reproduce.published import find_table, load_table, table_names
from benchmarks.reproduce.records import RECORDS, Records
from benchmarks.reproduce.runs import Job, Watch, jobs, run_all, state
from fenjie.errors import FenjieError
from fenjie.evaluation.significance import t_test
from tests.benchmarks.small_table import RECIPE, TABLE, finish, run, write_repository


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one table and its recipes."""
    monkeypatch.chdir(tmp_path)
    write_repository(tmp_path)
    return tmp_path


def interrupt(job: Job) -> None:
    """Leave what an interrupted run leaves."""
    finish(job)
    (job.folder / "scores.json").unlink()
    (job.folder / "checkpoint.safetensors").touch()


def test_the_runs_of_a_table_come_seed_by_seed_and_once_each() -> None:
    table = find_table("small")
    assert jobs(table) == [
        Job("recipes/one.toml", 1),
        Job("recipes/one-resume.toml", 1),
        Job("recipes/more/other.toml", 1),
        Job("recipes/one.toml", 2),
        Job("recipes/more/other.toml", 2),
    ]
    assert len(jobs(table, seeds=4)) == 12
    assert [job.recipe for job in jobs(table.choose(["weibo"], ["one"]), 1)] == ["recipes/one.toml"]
    with pytest.raises(FenjieError, match="two is no row of the table small; expected one or oth"):
        table.choose([], ["two"])


def test_a_run_has_a_folder_that_no_other_recipe_has() -> None:
    assert Job("recipes/one.toml", 3).folder == Path("runs/one-3")
    assert Job("recipes/more/other.toml", 1).folder == Path("runs/more/other-1")
    assert Job("recipes/more/other.toml", 1).name == "more/other-1"
    assert Job("mine/v1.toml", 1).name == "v1-1"


def test_how_far_a_run_is() -> None:
    job = Job("recipes/one.toml", 1)
    records = Records()
    assert state(job, records) == "new"
    interrupt(job)
    assert state(job, records) == "interrupted"
    (job.folder / "scores.json").write_text("{}")
    assert state(job, records) == "finished"
    records.add(job.recipe, Path(job.recipe).read_text(), run(1, 0.5))
    assert state(job, records) == "recorded"
    assert state(Job(job.recipe, 2), records) == "new"


def test_a_run_of_another_form_of_the_recipe_is_refused() -> None:
    job = Job("recipes/one.toml", 1)
    interrupt(job)
    Path(job.recipe).write_text(RECIPE.format(epochs=7))
    with pytest.raises(FenjieError, match=r"runs/one-1: holds .*training\.epochs was 1, now 7"):
        state(job, Records())


def test_a_missing_recipe_is_an_error_when_it_is_to_run() -> None:
    Path("recipes/one.toml").unlink()
    with pytest.raises(FenjieError, match=r"recipes/one\.toml: cannot be read"):
        state(Job("recipes/one.toml", 1), Records())
    cells, notes = measured(find_table("small"), "weibo", Records())
    assert not cells[0].scores
    assert not notes


class FakeProcess:
    """Ends after some looks."""

    def __init__(self, looks: int, code: int) -> None:
        self.looks, self.code, self.ended = looks, code, False

    def poll(self) -> int | None:
        self.looks -= 1
        return None if self.looks >= 0 else self.code

    def terminate(self) -> None:
        self.ended = True

    def wait(self) -> int:
        assert self.ended
        return -15


class Runs:
    """Starts fake processes and notes what happens."""

    def __init__(self, looks: dict[str, int], codes: dict[str, int]) -> None:
        self.looks, self.codes = looks, codes
        self.events: list[str] = []
        self.processes: dict[str, FakeProcess] = {}
        self.watch = Watch(
            lambda job: self.events.append(f"+{job.name}"),
            lambda job, problem: self.events.append(f"-{job.name}"),
            lambda: None,
        )

    def begin(self, job: Job) -> FakeProcess:
        if job.name == "busy-1":
            raise FenjieError("another process is at work on it")
        process = FakeProcess(self.looks.get(job.name, 0), self.codes.get(job.name, 0))
        self.processes[job.name] = process
        return process

    def finish(self, job: Job) -> None:
        if job.name == "empty-1":
            raise FenjieError("holds no finished run")


def names(*words: str) -> list[Job]:
    return [Job(f"recipes/{word}.toml", 1) for word in words]


def test_runs_are_done_some_at_a_time() -> None:
    runs = Runs({"a-1": 3, "b-1": 1, "c-1": 0}, {})
    failed = run_all(names("a", "b", "c"), 2, runs.begin, runs.finish, runs.watch, pause=0)
    assert not failed
    assert runs.events == ["+a-1", "+b-1", "-b-1", "+c-1", "-c-1", "-a-1"]


def test_a_failing_run_does_not_stop_the_others() -> None:
    runs = Runs({}, {"a-1": 2, "c-1": 2})
    queue = names("a", "busy", "empty", "c", "b")
    log = Path("runs/c-1/output.log")
    log.parent.mkdir(parents=True)
    log.write_text("reading\nfenjie: c.toml:3: train.txt: no such file\n")
    failed = run_all(queue, 1, runs.begin, runs.finish, runs.watch, pause=0)
    assert {job.name: problem for job, problem in failed.items()} == {
        "a-1": "exit code 2, see runs/a-1/output.log",
        "busy-1": "another process is at work on it",
        "empty-1": "holds no finished run",
        "c-1": f"exit code 2: c.toml:3: train.txt: no such file, see {log}",
    }
    assert runs.events[-1] == "-b-1"


def test_an_interrupt_ends_the_runs_at_work() -> None:
    runs = Runs({"a-1": 99, "b-1": 99}, {})

    def tick() -> None:
        raise KeyboardInterrupt

    watch = Watch(runs.watch.started, runs.watch.ended, tick)
    with pytest.raises(KeyboardInterrupt):
        run_all(names("a", "b", "c"), 2, runs.begin, runs.finish, watch, pause=0)
    assert [process.ended for process in runs.processes.values()] == [True, True]


def test_a_process_runs_with_a_log_that_no_other_may_write(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32":
        pytest.skip("no locks there")
    code = "import sys; print(' '.join(sys.argv[1:]), flush=True); sys.stdin.read()"
    real = subprocess.Popen

    def popen(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        assert options["env"]["OMP_NUM_THREADS"] == "1"
        arguments = [sys.executable, "-c", code, *command[3:]]
        return real(arguments, stdin=subprocess.PIPE, **options)

    monkeypatch.setattr(machine, "commit", lambda root: "abc")
    monkeypatch.setattr(subprocess, "Popen", popen)
    job = Job("recipes/one.toml", 4)
    process = reproduce.start(job)
    with pytest.raises(FenjieError, match="another process"):
        reproduce.start(job)
    process.communicate()
    again = reproduce.start(job)
    again.communicate()
    line = "train recipes/one.toml --resume --seed 4 --output runs/one-4\n"
    assert (job.folder / "output.log").read_text() == 2 * line
    starts = (job.folder / "starts.jsonl").read_text().splitlines()
    assert [json.loads(entry)["commit"] for entry in starts] == ["abc", "abc"]


def test_differences_are_over_the_seeds_that_both_rows_have() -> None:
    scores = {"one": {1: 60.0, 2: 61.0, 3: 62.0}, "other": {2: 62.0, 3: 64.0, 4: 99.0}}
    one, other = compare(find_table("small"), "weibo", scores)
    assert (one.published, one.change, one.p) == (60.3, None, None)
    assert other.change == pytest.approx(1.5)
    assert other.p == pytest.approx(t_test([1.0, 2.0]))
    assert other.published_change is None  # one is with BERT, the other without
    assert [cell.title for cell in compare(find_table("small"), "resume", scores)] == ["One"]


def test_a_table_is_printed_with_what_is_measured() -> None:
    text = {
        name: Path(name).read_text() for name in ("recipes/one.toml", "recipes/more/other.toml")
    }
    records = Records()
    for seed, f1 in ((1, 0.5), (2, 0.6)):
        records.add("recipes/one.toml", text["recipes/one.toml"], run(seed, f1))
        records.add(
            "recipes/more/other.toml", text["recipes/more/other.toml"], run(seed, f1 + 0.1 * seed)
        )
    table = find_table("small")
    cells, _ = measured(table, "weibo", records)
    assert lines(cells) == [
        ["One", "60.3", "55.00 ± 7.07", "2", "", "", "", ""],
        ["Other", "58.0‡", "70.00 ± 14.14", "2", "One", "", "+15.00", "0.205"],
    ]
    page = markdown(table, records)
    assert "| Weibo | published | measured |" in page
    assert "| One | 60.3 | 55.00 ± 7.07 | 2 | | | | |" in page
    assert "| One | 95.45 | – | | | | | |" in page
    Path("recipes/one.toml").write_text(RECIPE.format(epochs=5))
    assert "recipes/one.toml has changed since its runs, which do not count" in markdown(
        table, records
    )


def test_a_table_in_a_pipe_is_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    path = Path("recipes/tables/small.toml")
    path.write_text(TABLE.replace('title = "Other"', f'title = "{"Other " * 20}"'))
    done = CliRunner().invoke(app(), ["small", "--show"])
    assert done.exit_code == 0
    assert re.search(r"^(Other ){20} +58.0‡ +–", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("option", [["--data", "weibo"], ["--seeds", "2"], ["--show"], ["--again"]])
def test_an_option_of_a_table_needs_one(option: list[str]) -> None:
    done = CliRunner().invoke(app(), option)
    assert str(done.exception) == f"{option[0]} is for a table; expected one of small"


def test_the_list_of_runs_that_are_done_again() -> None:
    records = Records(RECORDS)
    RECORDS.parent.mkdir(parents=True)
    records.add("recipes/one.toml", Path("recipes/one.toml").read_text(), run(1, 0.5))
    records.save()
    interrupt(Job("recipes/one.toml", 1))
    arguments = ["small", "--only", "one", "--data", "weibo", "--list"]
    for more, state_of_first in (([], "recorded"), (["--again"], "interrupted")):
        done = CliRunner().invoke(app(), [*arguments, *more])
        assert done.stdout.splitlines() == [
            f"{state_of_first:<12}recipes/one.toml seed 1",
            f"{'new':<12}recipes/one.toml seed 2",
        ]


def app() -> typer.Typer:
    made = typer.Typer()
    made.command()(command)
    return made


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seeds = 2", "seed = 2", r":7: unknown key seed in \[data.weibo\]; did you mean seeds"),
        ("seeds = 2", "seeds = 0", ":7: seeds must be at least 1; found 0"),
        ("seeds = 2", 'seeds = "2"', ":7: data.weibo.seeds has a wrong type"),
        ('baseline = "one"', 'baseline = "two"', ":22: no other row; found 'two'; expected one"),
        ("published = { weibo = 58 }", "published = { msra = 58 }", ":21: unknown key msra in"),
        ("published = { weibo = 58 }", "published = 58", ":21: rows.other.published is no table"),
        ('title = "Other"\n', "", ":18: the key rows.other.title is missing"),
        ('source = "Table 1"\n', "", ": the key source is missing"),
        ("bert = true", 'bert = "yes"', ":23: rows.other.bert has a wrong type"),
        ("[rows.one]", "[rows]", "holds no tables"),
    ],
)
def test_errors_of_table_files(old: str, new: str, message: str) -> None:
    path = Path("recipes/tables/small.toml")
    assert TABLE.count(old) == 1
    path.write_text(TABLE.replace(old, new), encoding="utf-8")
    with pytest.raises(FenjieError, match=f"small.toml{message}" if message[0] == ":" else message):
        load_table(path)


def test_an_unknown_table_is_named_with_those_there_are() -> None:
    assert table_names() == ["small"]
    with pytest.raises(FenjieError, match="no table big; tables are: small"):
        find_table("big")
    Path("recipes/tables/small.toml").unlink()
    with pytest.raises(FenjieError, match="none here; run it at the root of the repository"):
        find_table("big")


def test_epochs_done() -> None:
    log = Path("log.jsonl")
    assert epochs_done(log) == 0
    log.write_text('{"step": 20, "epoch": 1, "loss": 1.0}\n')
    assert epochs_done(log) == 0
    log.write_text('{"step": 40, "epoch": 2, "best": true, "dev": {"f1": 0.5}}\n{"st')
    assert epochs_done(log) == 2
