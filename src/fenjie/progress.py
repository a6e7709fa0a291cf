"""Progress on a console: a bar in a terminal, elsewhere a line a minute."""

from __future__ import annotations

import os
import time
from typing import Any

from rich.console import Console
from rich.progress import Progress, ProgressColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from fenjie.errors import lines_shown

QUIET = 60.0
"""Seconds between two lines where there is no terminal to draw a bar on."""


UNBROKEN = 10_000
"""The width of a table in a file or a pipe, where nothing else says how wide it may be."""


class Screen(Console):
    """Prints texts as they are: without markup, and with their control characters shown.

    In a file or a pipe a line stays one line, and tables are as wide as they need to be, or as
    `COLUMNS` says.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **settings)
        if not self.file.isatty():
            self.soft_wrap = True
            if "width" not in settings and "COLUMNS" not in os.environ:
                self.width = UNBROKEN

    def render_str(self, text: str, **settings: Any) -> Text:
        """The text of a string, by itself or in a table."""
        return super().render_str(lines_shown(text), **settings)


class Display:
    """Shows one task after another."""

    def __init__(self, console: Console, *columns: ProgressColumn) -> None:
        """Begin to show.

        Args:
            console: where.
            columns: of the bar; the time so far and the time that remains come after them.
        """
        self.console = console
        self._bar = Progress(
            *columns,
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._total = self._done = self._first = 0
        self._begin = self._spoken = 0.0
        self._bar.start()

    def begin(self, description: str, total: int | None, done: int = 0, **fields: Any) -> None:
        """Begin a task; the one before it is done.

        Args:
            description: of the task.
            total: number of its steps; None where it is not known.
            done: number of steps that were done before.
            fields: values of the columns.
        """
        for task in self._bar.tasks:
            self._bar.update(task.id, completed=task.total)
        self._bar.add_task(description, total=total, completed=done, **fields)
        self._total, self._done, self._first = total or 0, done, done
        self._begin = self._spoken = time.monotonic()

    def show(self, done: int | None = None, **fields: Any) -> None:
        """Show the number of steps that are done, and values of the columns."""
        self._done = self._done if done is None else done
        self._bar.update(self._bar.task_ids[-1], completed=self._done, **fields)

    def line(self, text: str) -> None:
        """Print a line with the minutes left, where there is no terminal and it is time for one."""
        now = time.monotonic()
        if self.console.is_terminal or now - self._spoken < QUIET:
            return
        self._spoken = now
        each = (now - self._begin) / max(self._done - self._first, 1)
        left = each * max(self._total - self._done, 0)
        self.console.print(f"{text}  {left / 60:.0f} min left")

    def close(self) -> None:
        """Stop the bar."""
        self._bar.stop()
