"""Progress on a console."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.progress import BarColumn, TextColumn

from fenjie import progress
from fenjie.cli.tables import plain
from fenjie.progress import Display, Screen

LONG = "a" * 70 + " 1,200 steps"


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


@pytest.mark.parametrize("columns", [None, "80"])
def test_a_line_in_a_file_is_not_broken(
    columns: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    screen = Screen(file=io.StringIO())
    screen.print(LONG * 2)
    assert screen.file.getvalue() == f"{LONG * 2}\n"


def test_a_table_in_a_file_is_as_wide_as_it_needs_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    table = plain("file", "dev")
    table.add_row(LONG * 2, "1.00")
    screen = Screen(file=io.StringIO())
    screen.print(table)
    head, row = screen.file.getvalue().splitlines()
    assert row == f"{LONG * 2}  1.00" and len(head) == len(row)


class Terminal(io.StringIO):
    """Keeps what is written, and passes for a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_line_in_a_terminal_is_broken_between_words() -> None:
    screen = Screen(file=Terminal(), width=80)
    screen.print(LONG)
    assert len(screen.file.getvalue().splitlines()) == 2
