"""Charts, the curves of logs, and figures by one setting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="`make test-all` installs it")
pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks import sweeps
from benchmarks.charts import bars, lines
from benchmarks.convergence import curve
from benchmarks.reproduce.comparison import Cell
from benchmarks.reproduce.records import Records
from fenjie.errors import FileError


def test_the_same_numbers_draw_the_same_bytes(tmp_path: Path) -> None:
    series = {"FLAT": [(1, 50.0), (2, 60.0)], "ATSSA": [(1, 40.0)]}
    for name in ("one", "two"):
        lines(tmp_path / f"{name}.svg", series, ("epoch", "F1"), "Convergence")
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert text == (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert ">Convergence</text>" in text and ">FLAT</text>" in text
    bars(tmp_path / "bars.svg", {"A": {"1": 1, "16": 2.5}, "B": {"1": 2}}, "speed", "Speed")
    assert ">2.5</text>" in (tmp_path / "bars.svg").read_text(encoding="utf-8")


def test_a_curve(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    entries = [
        {"step": 1, "epoch": 1, "loss": 2.0},
        {"step": 2, "epoch": 1, "dev": {"f1": 0.5}},
        {"step": 3, "epoch": 2, "dev": {"f1": None}},
        {"step": 4, "epoch": 2, "dev": {"f1": 0.61239}},
    ]
    log.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    assert curve(log) == [(1, 50.0), (2, 61.24)]
    log.write_text("no log\n")
    with pytest.raises(FileError, match=r"log\.jsonl:1: is no log of a run"):
        curve(log)
    log.write_text('{"step": 1}\n')
    with pytest.raises(FileError, match="holds no score on dev"):
        curve(log)


def test_figures_by_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data sets of which a value has no run are left out."""
    monkeypatch.chdir(Path(__file__).parents[2])
    for name in sweeps.SWEEPS:
        for found in sweeps.points(name, Records()).values():
            assert [value for value, _ in found] == sorted(value for value, _ in found)


def test_values_are_compared_over_the_seeds_that_all_have(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [Cell("k = 1", scores={1: 90.0}), Cell("k = 3", scores={1: 91.0, 2: 99.0})]
    monkeypatch.setattr(sweeps, "measured", lambda table, data, records: (cells, []))
    assert set(map(tuple, sweeps.points("atssa-k", Records()).values())) == {((1, 90.0), (3, 91.0))}
