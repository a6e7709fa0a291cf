"""Progress on standard error."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from fenjie.scale import meter
from fenjie.scale.blocks import Reached
from fenjie.scale.meter import metered


class Terminal(io.StringIO):
    """Keeps what is written, and passes for a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("piped", [False, True])
def test_a_terminal_sees_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piped: bool
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"0" * 3000)
    monkeypatch.setattr(meter, "WAIT", 0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    reached = (Reached(None, 0 if piped else size, 1000) for size in (1000, 2000, 3000))
    metered(reached, ["no such pipe" if piped else str(path)], shown=True)
    assert "MB/s" in terminal.getvalue()
    assert ("3.0/3.0 kB" in terminal.getvalue()) != piped


@pytest.mark.parametrize("shown", [False, True])
def test_nothing_is_shown_elsewhere(monkeypatch: pytest.MonkeyPatch, shown: bool) -> None:
    monkeypatch.setattr(meter, "WAIT", 0)
    monkeypatch.setattr(sys, "stderr", file := io.StringIO() if shown else Terminal())
    metered(iter([Reached(None, 1, 1)]), ["a"], shown)
    assert file.getvalue() == ""
