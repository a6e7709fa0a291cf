"""Shows and records a run: progress on the console, a JSONL log, TensorBoard."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from torch.utils.tensorboard import SummaryWriter

from fenjie.evaluation.shares import per_cent
from fenjie.progress import Display


class Log:
    """A JSONL file to which a resumed run appends after the last line that its checkpoint knew.

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
        """Begin to show a run of `total` steps, of which `step` are done already.

        TensorBoard's files go to the folder; later curves of a killed run are dropped.
        """
        self.console = console
        self._curves = SummaryWriter(str(folder), purge_step=step + 1)
        self._display = Display(
            console,
            TextColumn("epoch {task.fields[epoch]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]:.4f}"),
            TextColumn("dev {task.fields[dev]}"),
            TextColumn("{task.fields[speed]:,.0f} characters/s"),
        )
        nan = float("nan")
        self._display.begin("", total, step, epoch=1, loss=nan, dev=per_cent(nan), speed=nan)
        self._total, self._step = total, step
        self.restart()

    def step(self, characters: int) -> None:
        """Count one step of training, by the number of characters in its batch."""
        self._characters += characters
        self._step += 1
        self._display.show(self._step)

    def loss(self, step: int, epoch: int, loss: float, rate: float) -> None:
        """Show the mean loss since the last call, and the speed."""
        speed = self._characters / max(time.perf_counter() - self._since, 1e-9)
        self._display.show(epoch=epoch, loss=loss, speed=speed)
        for name, value in (("loss", loss), ("learning rate", rate), ("characters/s", speed)):
            self._curves.add_scalar(name, value, step)
        self._display.line(
            f"epoch {epoch}  step {step:,}/{self._total:,}  loss {loss:.4f}  "
            f"{speed:,.0f} characters/s"
        )
        self.restart()

    def dev(self, step: int, epoch: int, f1: float, best: bool) -> None:
        """Show a dev score, a share between 0 and 1."""
        self._display.show(dev=per_cent(f1))
        self._curves.add_scalar("dev F1", 100 * f1, step)
        mark = "  best" if best else ""
        self.console.print(
            f"epoch {epoch}  step {step:,}/{self._total:,}  dev F1 {per_cent(f1)}{mark}"
        )

    def restart(self) -> None:
        """Measure speed from here, so that scoring and saving do not count as training."""
        self._characters, self._since = 0, time.perf_counter()

    def close(self) -> None:
        """Stop the display and close TensorBoard's file."""
        self._display.close()
        self._curves.close()
