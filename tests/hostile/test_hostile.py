"""A share of the hostile cases; `make hostile` runs them all."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from tests.hostile.__main__ import main
from tests.hostile.case import measured
from tests.hostile.kinds import KINDS

SHARE = float(os.environ.get("SHARE", "0.1"))


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
