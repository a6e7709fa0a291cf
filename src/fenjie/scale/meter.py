"""Progress of a conversion on standard error: how much, how fast, how long yet."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

from fenjie.scale.blocks import Reached, size_of

WAIT = 1.0
"""Seconds after which progress is shown: what is quick needs none."""


def metered(progress: Iterable[Reached], files: Sequence[str], shown: bool) -> None:
    """Do a conversion to its end and show how it goes on.

    Args:
        progress: how far it has come, again and again.
        files: what is read.
        shown: whether standard output is no terminal, which the bar would disturb.
    """
    if not shown or sys.stderr is None or not sys.stderr.isatty():
        for _ in progress:
            pass
        return
    _show(progress, sum(map(size_of, files)))


def _show(progress: Iterable[Reached], total: int) -> None:
    begin, done = time.monotonic(), 0
    display = None
    try:
        for reached in progress:
            done += reached.size
            passed = time.monotonic() - begin
            read, speed = reached.read or done, f"{done / max(passed, 1e-9) / 1e6:.2f} MB/s"
            if display is not None:
                display.show(read, speed=speed)
            elif passed >= WAIT:
                display = _display()
                display.begin("", total or None, read, speed=speed)
    finally:
        if display is not None:
            display.close()


def _display() -> Any:
    from rich.progress import BarColumn, DownloadColumn, TextColumn

    from fenjie.progress import Display, Screen

    columns = (BarColumn(), DownloadColumn(), TextColumn("{task.fields[speed]}"))
    return Display(Screen(stderr=True), *columns)
