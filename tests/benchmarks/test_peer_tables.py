"""The table and the picture of tools side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="`make test-all` installs it")

from benchmarks import peer_tables

FIGURES = {
    "f1": 90.0,
    "characters_per_second": 1234,
    "speed_ratio": 0.5,
    "startup_s": 0.2,
    "memory_mib": 99.6,
    "installed_mib": 5,
}


def test_a_row_for_each_tool() -> None:
    rows = [{"tool": "fenjie-fast-batched", **FIGURES}, {"tool": "jieba", **FIGURES}]
    lines = peer_tables.markdown(rows).splitlines()
    assert lines[2] == (
        "| **segment-fast**, all lines in one call | 90.00 | 1,234 | 0.50 | 0.20 | 100 | 5 |"
    )
    assert lines[3].startswith("| jieba | 90.00")


def test_models_are_set_beside_the_nearest_tools() -> None:
    speeds = {"fenjie": 250, "fenjie-batched": 1000, "pkuseg": 500, "fenjie-fast": 2000}
    rows = [
        {**FIGURES, "tool": tool, "characters_per_second": speed} for tool, speed in speeds.items()
    ]
    assert peer_tables.markdown(rows).splitlines()[-1] == (
        "`segment` has 0.0 points more than pkuseg and 0.50 × its speed, "
        "2.00 × with all lines in one call."
    )


def test_the_most_accurate_is_first() -> None:
    scores = [row["f1"] for row in peer_tables.measured()]
    assert scores == sorted(scores, reverse=True)


def test_a_point_for_each_tool(tmp_path: Path) -> None:
    rows = [{"tool": "fenjie", **FIGURES}, {"tool": "jieba", **FIGURES, "f1": 80.0}]
    peer_tables.draw(rows, tmp_path / "peers.svg")
    text = (tmp_path / "peers.svg").read_text(encoding="utf-8")
    assert ">segment</text>" in text and ">jieba</text>" in text
