"""`python -m benchmarks.reproduce`: real runs of a small table, from recipes to figures."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from tests.integration.tiny_run import RECIPE, environment

REPRODUCE = [sys.executable, "-m", "benchmarks.reproduce"]

TABLE = """\
title = "Small"
source = "Table 0"
paper = "nobody-2026"
[data.toy]
title = "Toy"
seeds = 2
[rows.one]
title = "One"
recipes = { toy = "recipes/one.toml" }
[rows.other]
title = "Other"
recipes = { toy = "recipes/other.toml" }
baseline = "one"
"""


@pytest.fixture
def table(recipe: Path) -> Path:
    """A table of two recipes in the working directory."""
    for name, text in {
        "recipes/tables/small.toml": TABLE,
        "recipes/one.toml": RECIPE.replace("epochs = 3", "epochs = 1"),
        "recipes/other.toml": RECIPE.replace("epochs = 3", "epochs = 1").replace("0.01", "0.02"),
    }.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    Path("benchmarks/results").mkdir(parents=True)
    return Path("recipes/tables/small.toml")


def reproduce(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*REPRODUCE, *arguments]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_table_is_run_recorded_and_not_run_again(table: Path) -> None:
    done = reproduce("small", "--jobs", "2", "--seeds", "1")
    assert done.returncode == 0, done.stderr
    assert "2 runs, 0 of them done" in done.stderr
    assert "One" in done.stdout and "Other" in done.stdout
    values = json.loads(Path("benchmarks/results/training.json").read_text(encoding="utf-8"))
    assert list(values["runs"]) == ["recipes/one.toml", "recipes/other.toml"]
    run = values["runs"]["recipes/one.toml"][0]
    assert run["seed"] == 1 and run["starts"][0].keys() == {"date", "commit"}
    again = reproduce("small", "--seeds", "1")
    assert "2 runs, 2 of them done" in again.stderr
    assert again.stdout == done.stdout == reproduce("small", "--show").stdout
    listed = reproduce("small", "--list", "--only", "one").stdout.splitlines()
    assert listed == [
        "recorded    recipes/one.toml seed 1",
        "new         recipes/one.toml seed 2",
    ]
    shutil.rmtree("runs")
    anew = reproduce("small", "--seeds", "1", "--only", "one", "--again")
    assert "1 runs, 0 of them done" in anew.stderr
    assert anew.stdout == done.stdout and Path("runs/one-1/scores.json").exists()
    Path("recipes/one.toml").unlink()
    listed = reproduce("small", "--list", "--seeds", "1").stdout
    assert "impossible  recipes/one.toml seed 1: recipes/one.toml: cannot be read" in listed
    assert reproduce("small", "--seeds", "1").returncode == 2


@pytest.mark.slow
def test_a_failing_run_is_named_at_the_end(table: Path) -> None:
    text = Path("recipes/one.toml").read_text(encoding="utf-8")
    Path("recipes/one.toml").write_text(text.replace("more.jsonl", "none.jsonl"), encoding="utf-8")
    done = reproduce("small", "--seeds", "1")
    assert done.returncode == 1
    told = " ".join(done.stderr.split())
    assert "failed: one-1: exit code 2: " in told
    assert "none.jsonl: no such file" in told and ", see runs/one-1/output.log" in told
    assert Path("runs/other-1/scores.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.slow
def test_an_interrupted_table_goes_on(table: Path) -> None:
    text = Path("recipes/one.toml").read_text(encoding="utf-8").replace("epochs = 1", "epochs = 40")
    Path("recipes/one.toml").write_text(text, encoding="utf-8")
    command = [*REPRODUCE, "small", "--only", "one"]
    process = subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE)
    checkpoint = Path("runs/one-1/checkpoint.safetensors")
    while not checkpoint.exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode not in (0, None)
    listed = reproduce("small", "--list", "--only", "one", "--seeds", "1").stdout
    assert listed == "interrupted recipes/one.toml seed 1\n"
    log = Path("runs/one-1/log.jsonl")
    size = log.stat().st_size
    time.sleep(0.3)
    assert log.stat().st_size == size  # the run has ended too
    assert reproduce("small", "--only", "one", "--seeds", "1").returncode == 0
    assert "from step" in Path("runs/one-1/output.log").read_text(encoding="utf-8")
    assert len(Path("runs/one-1/starts.jsonl").read_text(encoding="utf-8").splitlines()) == 2
