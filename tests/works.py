"""Work for worker processes: harmless, failing, and deadly for a process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fenjie.errors import FileError


class Doubling(NamedTuple):
    """Doubles numbers, in lists of them, and is interrupted by some.

    Attributes:
        folder: where is noted which numbers have killed a process.
        deadly: numbers that kill the process every time.
        once: numbers that kill the process the first time.
        bad: numbers that are an error.
        slow: numbers that take this number of seconds.
    """

    folder: Path
    deadly: tuple[int, ...] = ()
    once: tuple[int, ...] = ()
    bad: tuple[int, ...] = ()
    slow: tuple[int, ...] = ()

    def __call__(self, item: list[int]) -> list[int]:
        """Each number twice."""
        for number in item:
            if number in self.deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            if number in self.once and not (noted := self.folder / str(number)).exists():
                noted.touch()
                os._exit(3)
            if number in self.bad:
                raise FileError("numbers.txt", "a bad number", line=number, found=number)
            if number in self.slow:
                time.sleep(number)
        return [2 * number for number in item]

    def parts(self, item: list[int]) -> Iterator[tuple[str, list[int]]]:
        """Each number alone."""
        for number in item:
            yield f"number {number}", [number]
