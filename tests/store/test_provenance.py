"""The machine, the versions and the commit that belong to a measured number."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import fenjie
from fenjie.store import provenance


def test_what_is_told_of_a_measurement(tmp_path: Path) -> None:
    told = provenance.describe(tmp_path)
    assert told["commit"] is None, "the folder is no repository"
    assert told["versions"]["fenjie"] == fenjie.__version__
    assert told["cpu"] and told["cores"] >= 1 and told["memory_gib"] > 0
    assert abs(datetime.now(UTC) - datetime.fromisoformat(told["date"])).total_seconds() < 60


def test_a_commit_says_where_files_differ_from_it(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        names = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *names, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "a").write_text("1")
    git("init")
    git("add", "a")
    git("commit", "-m", "one")
    commit = provenance.commit(tmp_path)
    assert commit is not None and len(commit) == 12
    (tmp_path / "a").write_text("2")
    assert provenance.commit(tmp_path) == f"{commit}-dirty"
