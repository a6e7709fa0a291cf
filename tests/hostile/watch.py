"""What the processes that this one starts take: peaks of memory, and when they have worked."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from threading import Event, Thread

HUNG = 1800
"""Seconds after which a process is taken to hang. Bounds of time are of CPU time: wall time is that
of the machine and of all that runs on it."""

_EVERY = 0.01
"""Seconds between two looks."""

_TICK = os.sysconf("SC_CLK_TCK")


class Peak:
    """The peak memory of processes.

    Attributes:
        mib: the largest sum of the peaks of processes that lived at one time, in MiB.
    """

    def __init__(self) -> None:
        """Watch the processes that are started from now on."""
        self.mib = 0.0
        self._before = frozenset(_descendants(os.getpid(), frozenset()))

    def look(self) -> None:
        """Add up the peaks of the processes that live now.

        One that is only just forked is left out: it still has the memory, and the command line, of
        this one.
        """
        own = _command(os.getpid())
        started = _descendants(os.getpid(), self._before)
        found = [one for one in started if _command(one) != own]
        self.mib = max(self.mib, sum(map(_peak, found)))


@contextmanager
def watching() -> Iterator[Peak]:
    """Look at the memory of all processes that this one starts in the block, and of theirs."""
    peak, over = Peak(), Event()

    def look() -> None:
        while not over.wait(_EVERY):
            peak.look()

    thread = Thread(target=look, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


def let_work(process: Popen[bytes], seconds: float) -> None:
    """Wait until a process has had so much CPU time, has ended or waits for half a second."""
    before, since = -1.0, time.monotonic()
    while process.poll() is None and time.monotonic() - since < 0.5:
        used = _cpu_seconds(process.pid)
        if used >= seconds:
            return
        if used > before:
            before, since = used, time.monotonic()
        time.sleep(_EVERY)


def _descendants(process: int, without: frozenset[int]) -> Iterator[int]:
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
    except OSError:  # it has ended
        return
    for task in tasks:
        for child in map(int, _read(task / "children").split()):
            if child not in without:
                yield child
                yield from _descendants(child, without)


def _command(process: int) -> str:
    return _read(Path(f"/proc/{process}/cmdline"))


def _peak(process: int) -> float:
    """The peak memory of a process in MiB; 0 where it has ended."""
    for line in _read(Path(f"/proc/{process}/status")).splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _cpu_seconds(process: int) -> float:
    fields = _read(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / _TICK


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:  # it has ended
        return ""
