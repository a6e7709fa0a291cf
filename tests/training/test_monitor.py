"""The log of a run, and what is shown of it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

pytest.importorskip("tensorboard", reason="needs the extra `train`")

from rich.console import Console

from fenjie.training.monitor import Log, Monitor


def test_a_resumed_log_goes_on_after_what_its_checkpoint_knew(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = Log(path, 0)
    log.write(step=1, text="分")
    known = log.size
    log.write(step=2)
    log.close()
    log = Log(path, known)
    log.write(step=3)
    log.close()
    assert [json.loads(line)["step"] for line in path.read_text().splitlines()] == [1, 3]


def test_half_a_line_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"step": 1}\n{"st')
    log = Log(path, 1000)
    log.write(step=2)
    log.close()
    assert [json.loads(line)["step"] for line in path.read_text().splitlines()] == [1, 2]


def test_dev_scores_are_printed_and_curves_recorded(tmp_path: Path) -> None:
    file = io.StringIO()
    monitor = Monitor(tmp_path / "curves", total=1000, step=0, console=Console(file=file))
    monitor.step(500)
    monitor.loss(1, 1, 0.25, 0.001)
    monitor.dev(1000, 2, 0.91234, best=True)
    monitor.close()
    assert "epoch 2  step 1,000/1,000  dev F1 91.23  best" in file.getvalue()
    (events,) = (tmp_path / "curves").iterdir()
    assert b"dev F1" in events.read_bytes()
