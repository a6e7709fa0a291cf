"""The machine, the versions and the commit that belong to a measured number."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import fenjie
from benchmarks import machine


def test_what_is_told_of_a_measurement() -> None:
    told = machine.describe()
    assert told["versions"]["fenjie"] == fenjie.__version__
    assert told["cpu"] and told["cores"] >= 1 and told["memory_gib"] > 0
    assert abs(datetime.now(UTC) - datetime.fromisoformat(told["date"])).total_seconds() < 60


def test_a_commit_says_where_files_differ_from_it(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        names = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *names, *words], cwd=tmp_path, check=True, capture_output=True)

    assert machine.commit(tmp_path) is None, "the folder is no repository"
    (tmp_path / "a").write_text("1")
    git("init")
    git("add", "a")
    git("commit", "-m", "one")
    commit = machine.commit(tmp_path)
    assert commit is not None and len(commit) == 12
    (tmp_path / "a").write_text("2")
    assert machine.commit(tmp_path) == f"{commit}-dirty"
