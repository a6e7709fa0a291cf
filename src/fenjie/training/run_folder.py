"""The folder of a run, and the processes and devices that work in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState

from fenjie.errors import FenjieError, FileError
from fenjie.files import atomic, refusals
from fenjie.lock import LOCK, only_run

RECIPE, CHECKPOINT, BEST = "recipe.toml", "checkpoint.safetensors", "best.safetensors"
MODEL = "model"

_NO_MEMORY = (
    "out of memory",
    "not enough memory",
    "can't allocate memory",
    "cannot allocate memory",
)
"""How torch says that memory does not suffice."""

WORK = (CHECKPOINT, BEST, MODEL)
"""What a training makes in its folder, each of which it would write over."""


@dataclass(frozen=True)
class KeptRecipe:
    """The recipe of a run, as the folder of the run keeps it."""

    copy: bytes
    """What the file says."""

    changed: Callable[[Path], str | None]
    """What differs from the recipe in another file, in words; None if nothing."""

    given: Path | None = None
    """The file that the recipe was read from; None where it is in none."""

    work: Sequence[str] = WORK
    """The names of what such a run makes; where all are missing, it has made nothing."""

    @contextmanager
    def begun(self, folder: Path, run: str, resume: bool) -> Iterator[bool]:
        """Hold the folder of a run, with the recipe in it, for as long as the block lasts.

        Args:
            folder: of the run; it is made where it is missing.
            run: the run, in a few words, for the message that another one gets.
            resume: whether a run that is there may go on.

        Yields:
            Whether a run that is there goes on.

        Raises:
            FenjieError: another run is there or at work, or one that is not to be resumed.
            FileError: a recipe that no run keeps would be replaced by this one.
        """
        self._check_replaced(folder)
        with only_run(folder, run):
            there = self._made(folder)
            if there:
                self._check_same(folder, resume)
            with atomic(folder / RECIPE) as temporary:
                temporary.write_bytes(self.copy)
            yield there

    def _made(self, folder: Path) -> bool:
        return any((folder / name).exists() for name in self.work)

    def _check_same(self, folder: Path, resume: bool) -> None:
        if not resume:
            raise FenjieError(
                f"{folder} holds a run already; --resume goes on with it, --output names another"
            )
        if (difference := self.changed(folder / RECIPE)) is not None:
            raise FenjieError(f"{folder} holds a run of another recipe: {difference}")

    def _check_replaced(self, folder: Path) -> None:
        """Refuse to replace the recipe that is given, or one in a folder that had no run yet."""
        kept = folder / RECIPE
        if self._made(folder) or not kept.exists() or kept.read_bytes() == self.copy:
            return
        expected = "another --output"
        if self.given and kept.samefile(self.given):
            raise FileError(self.given, "is read and would be replaced", expected=expected)
        if not (folder / LOCK).exists():
            raise FileError(kept, "would be replaced", expected=expected)


def missing(folder: Path) -> list[Path]:
    """The folder and those that it is in, as far as they do not exist yet, the innermost first."""
    return [path for path in (folder, *folder.parents) if not path.exists()]


@contextmanager
def taken_back(absent: Sequence[Path], main: bool, new: Sequence[Path] = ()) -> Iterator[None]:
    """Begin a run: where its data are refused, what was made for it goes, as if never tried.

    Args:
        absent: what `missing` said before its folders were made.
        main: whether this is the process that made them.
        new: its files in a folder that was there, those that were not there before.

    Raises:
        FenjieError: that of the block.
    """
    try:
        yield
    except FenjieError:
        if main:
            for path in new:
                path.unlink(missing_ok=True)
            remove(absent)
        raise


def remove(absent: Sequence[Path]) -> None:
    """Remove the folders that were made for a run which could not begin.

    Args:
        absent: what `missing` said before; the first one goes with all that is in it, the others
            only where they are empty.
    """
    if absent:
        shutil.rmtree(absent[0], ignore_errors=True)
    for folder in absent[1:]:
        with suppress(OSError):  # another run is in it
            folder.rmdir()


@contextmanager
def accelerated(folder: Path, precision: str) -> Iterator[Accelerator]:
    """Run in the processes and on the devices that there are, for as long as the block lasts.

    The processes leave the block together: where one of them fails, even as it exits, its launcher
    stops the others, and they may still be writing.

    Args:
        folder: of the run, for messages.
        precision: `bf16`, or anything else for the weights' own.

    Raises:
        FenjieError: memory does not suffice.
        FileError: a file cannot be written, or another one is refused by the file system.
    """
    accelerator = Accelerator(
        cpu=not torch.cuda.is_available(),
        mixed_precision="bf16" if precision == "bf16" else "no",
    )
    try:
        with refusals(folder):
            yield accelerator
            accelerator.wait_for_everyone()
    except RuntimeError as error:  # of torch
        if not _memory_ran_out(error):
            raise
        reason = str(error).partition("\n")[0]
        raise FenjieError(f"not enough memory for this recipe: {reason}") from error
    finally:
        accelerator.end_training()
        AcceleratorState._reset_state(True)  # the next run in this process may be of another kind


def _memory_ran_out(error: RuntimeError) -> bool:
    """Whether an error of torch is that; processors and some devices have no class for it."""
    message = str(error).lower()
    return isinstance(error, torch.OutOfMemoryError) or any(one in message for one in _NO_MEMORY)
