"""Progress on a console."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.progress import BarColumn, TextColumn

from fenjie import progress
from fenjie.progress import Display


def test_without_a_terminal_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    file = io.StringIO()
    display = Display(Console(file=file), BarColumn())
    display.begin("reading", total=40)
    display.show(10)
    display.line("too early")
    now += progress.QUIET
    display.line("10 of 40")
    display.line("too early again")
    display.close()
    assert file.getvalue().rstrip("\n") == "10 of 40  3 min left"


def test_a_terminal_shows_a_bar_and_no_lines() -> None:
    file = io.StringIO()
    display = Display(
        Console(file=file, force_terminal=True), TextColumn("{task.description} {task.completed}")
    )
    display.begin("reading", total=3)
    display.line("not shown")
    display.begin("counting", total=7, done=2)
    display.show(5)
    display.close()
    assert "reading 3" in file.getvalue(), "the task before is done"
    assert "counting 5" in file.getvalue()
    assert "not shown" not in file.getvalue()
