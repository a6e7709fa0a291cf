"""A share of the hostile cases; `make hostile` runs them all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from benchmarks import hostile
from benchmarks.machine import RESULTS, describe
from tests.hostile.__main__ import main
from tests.hostile.case import Outcome, measured
from tests.hostile.kinds import KINDS
from tests.hostile.watch import watching

SHARE = float(os.environ.get("SHARE", "0.03"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_case_fails(kind: str) -> None:
    outcome = measured(kind, lambda outcome: KINDS[kind](outcome, SHARE, 1))
    assert outcome.cases
    assert not outcome.failures, "\n".join(outcome.shown)


def test_the_command_prints_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    output = tmp_path / "hostile.json"
    options = ["--share", "0.0001", "--only", "random texts, words", "--output", str(output)]
    monkeypatch.setattr(sys, "argv", ["hostile", *options])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert "| random texts, words |" in capsys.readouterr().out
    assert json.loads(output.read_text(encoding="utf-8"))["kinds"][0]["failures"] == 0


def test_the_page_of_promises_shows_the_record() -> None:
    page = (RESULTS.parents[1] / "docs" / "promises.md").read_text(encoding="utf-8")
    kinds = hostile.read()
    assert hostile.markdown(kinds) in page, "run python -m benchmarks.tables"
    assert {kind["kind"] for kind in kinds} == set(KINDS)
    assert all(kind["share"] == 1 and not kind["failures"] for kind in kinds)
    assert sum(kind["cases"] for kind in kinds) >= 100_000


def test_a_kind_that_is_run_again_replaces_its_row(tmp_path: Path) -> None:
    path = tmp_path / "hostile.json"
    first = [asdict(Outcome(kind, 10, 2, ["1: x"], 5.4, 0.25)) for kind in ("a", "b")]
    hostile.write(path, first, seed=1, share=1)
    hostile.write(path, [asdict(Outcome("b", 20, 0, [], 1200.0))], seed=2, share=1)
    rows = hostile.markdown(hostile.read(path)).splitlines()[2:]
    about = describe()
    run = f"{about['date'][:10]} | {about['commit'] or ''} |".replace("  ", " ")
    assert rows == [
        f"| a | 10 | 2 | 5 | 0.25 | {run}",
        f"| b | 20 | 0 | 1,200 | – | {run}",
        "| **all** | 30 | 2 | 1,200 | 0.25 | | |",
    ]


def test_the_peak_of_all_processes() -> None:
    child = "import subprocess, sys; x = bytearray(60 << 20); subprocess.run(sys.argv[1:])"
    grandchild = "import time; x = bytearray(50 << 20); time.sleep(0.2)"
    with watching() as peak:
        subprocess.run([sys.executable, "-c", child, sys.executable, "-c", grandchild], check=True)
    assert 110 < peak.mib < 250
