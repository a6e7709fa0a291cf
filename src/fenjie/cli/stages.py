"""How the stages of `fenjie vectors` are shown while they run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fenjie.progress import Screen


class Stages:
    """Shows the stages of `fenjie.vectors`; a `Report`, see `fenjie.vectors.texts`."""

    def __init__(self, console: Screen) -> None:
        """Take the console to print on."""
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn

        from fenjie.progress import Display

        text = TextColumn("{task.description}")
        self._display = Display(console, text, BarColumn(), TaskProgressColumn())
        self._console = console
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show the progress of a stage; the first call begins it."""
        if stage != self._stage:
            self._stage = stage
            self._display.begin(stage, total, done)
            if not self._console.is_terminal:
                self._console.print(stage)
        self._display.show(done)
        self._display.line(f"{stage}  {100 * done / total:.0f} %")

    def close(self) -> None:
        """Stop the display."""
        self._display.close()


@contextmanager
def in_stages(work: Path, output: Path) -> Iterator[Stages]:
    """Where vectors are made: what shows the stages; at the end it is said where they are.

    Args:
        work: the folder of what is kept between runs.
        output: the folder of the vectors.
    """
    from fenjie.progress import Screen
    from fenjie.vectors.work_folder import work_folder

    console = Screen(stderr=True)
    with work_folder(work), closing(Stages(console)) as report:
        yield report
    console.print(f"vectors in {output}; {work} is no longer needed")
