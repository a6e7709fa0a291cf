"""What a run shows and records: a progress bar, lines, a JSONL log, TensorBoard."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from torch.utils.tensorboard import SummaryWriter

QUIET = 60.0
"""Seconds between two lines of progress where there is no terminal to draw a bar on."""


class Log:
    """A JSONL file to which a resumed run appends behind what its checkpoint knew.

    It holds no time and no speed, so that a resumed run's log equals an undisturbed run's.
    """

    def __init__(self, path: Path, size: int) -> None:
        """Open the file and forget what stands after `size` bytes, and after its last whole line.

        Of a log that was deleted or cut meanwhile, what is left stays.
        """
        self._file = open(path, "a+b")  # noqa: SIM115 (closed by `close`)
        self._file.seek(0)
        self._file.truncate(self._file.read(size).rfind(b"\n") + 1)

    def write(self, **values: Any) -> None:
        """Append one line."""
        self._file.write(json.dumps(values, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    @property
    def size(self) -> int:
        """The bytes written, which are now safe on the disk."""
        os.fsync(self._file.fileno())
        return self._file.seek(0, os.SEEK_END)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Monitor:
    """Shows a run on the console and records its curves for TensorBoard."""

    def __init__(self, folder: Path, total: int, step: int, console: Console) -> None:
        """Begin to show a run.

        Args:
            folder: where TensorBoard's files go.
            total: steps of the whole run.
            step: steps done already; later curves of a killed run are dropped.
            console: where to print.
        """
        self.console = console
        self._curves = SummaryWriter(str(folder), purge_step=step + 1)
        self._bar = Progress(
            TextColumn("epoch {task.fields[epoch]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]:.4f}"),
            TextColumn("dev {task.fields[dev]:.2f}"),
            TextColumn("{task.fields[speed]:,.0f} characters/s"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        nothing = float("nan")
        self._task = self._bar.add_task(
            "", total=total, completed=step, epoch=1, loss=nothing, dev=nothing, speed=nothing
        )
        self._total, self._first = total, step
        self._bar.start()
        self._characters, self._since = 0, time.perf_counter()
        self._begin = self._spoken = self._since

    def step(self, characters: int) -> None:
        """Count one step, in which so many characters were learnt from."""
        self._characters += characters
        self._bar.advance(self._task)

    def loss(self, step: int, epoch: int, loss: float, rate: float) -> None:
        """Show the mean loss since the last call, and the speed."""
        now = time.perf_counter()
        speed = self._characters / max(now - self._since, 1e-9)
        self._bar.update(self._task, epoch=epoch, loss=loss, speed=speed)
        for name, value in (("loss", loss), ("learning rate", rate), ("characters/s", speed)):
            self._curves.add_scalar(name, value, step)
        if not self.console.is_terminal and now - self._spoken > QUIET:
            self._spoken = now
            left = (now - self._begin) / (step - self._first) * (self._total - step)
            self.console.print(
                f"epoch {epoch}  step {step:,}/{self._total:,}  loss {loss:.4f}  "
                f"{speed:,.0f} characters/s  {left / 60:.0f} min left"
            )
        self.restart()

    def dev(self, step: int, epoch: int, f1: float, best: bool) -> None:
        """Show a dev score."""
        self._bar.update(self._task, dev=100 * f1)
        self._curves.add_scalar("dev F1", 100 * f1, step)
        mark = "  best" if best else ""
        self.console.print(
            f"epoch {epoch}  step {step:,}/{self._total:,}  dev F1 {100 * f1:.2f}{mark}"
        )

    def restart(self) -> None:
        """Measure speed from here, so that scoring and saving do not count as training."""
        self._characters, self._since = 0, time.perf_counter()

    def close(self) -> None:
        """Stop the bar and close TensorBoard's file."""
        self._bar.stop()
        self._curves.close()
