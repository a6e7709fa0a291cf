"""The folder of a run, and the processes and devices that work in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState

from fenjie.errors import FenjieError, FileError
from fenjie.files import atomic, named_elsewhere

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


def prepare_folder(
    folder: Path,
    copy: bytes,
    changed: Callable[[Path], str | None],
    resume: bool,
    work: Sequence[str] = WORK,
    given: Path | None = None,
) -> bool:
    """Keep the recipe in the folder of a run, or check that the run in it is the one to resume.

    Args:
        folder: of the run; it exists.
        copy: the recipe, as it is kept.
        changed: what differs from the recipe in a file, in words; None if nothing.
        resume: whether a run that is there may go on.
        work: the names of what such a run makes; where all are missing, it has made nothing.
        given: the file of the recipe; None where it is in none.

    Returns:
        Whether a run that is there goes on.

    Raises:
        FenjieError: another run is there, or a run that is not to be resumed.
        FileError: the recipe that is given would be replaced by another one.
    """
    kept = folder / RECIPE
    there = any((folder / name).exists() for name in work)
    if there:
        if not resume:
            raise FenjieError(
                f"{folder} holds a run already; --resume goes on with it, --output names another"
            )
        if (difference := changed(kept)) is not None:
            raise FenjieError(f"{folder} holds a run of another recipe: {difference}")
    elif given and kept.exists() and kept.samefile(given) and given.read_bytes() != copy:
        raise FileError(given, "is read and would be replaced", expected="another --output")
    with atomic(kept) as temporary:
        temporary.write_bytes(copy)
    return there


def missing(folder: Path) -> list[Path]:
    """The folder and those that it is in, as far as they do not exist yet, the innermost first."""
    return [path for path in (folder, *folder.parents) if not path.exists()]


@contextmanager
def taken_back(absent: Sequence[Path], main: bool) -> Iterator[None]:
    """Begin a run: where its data are refused, its folders go, as if nothing had been tried.

    Args:
        absent: what `missing` said before they were made.
        main: whether this is the process that made them.

    Raises:
        FenjieError: that of the block.
    """
    try:
        yield
    except FenjieError:
        if main:
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
        yield accelerator
        accelerator.wait_for_everyone()
    except OSError as error:
        reason = error.strerror or str(error)
        if (other := named_elsewhere(error, folder)) is not None:
            raise FileError(other, reason) from error
        where = folder if isinstance(error.filename, int) else error.filename or folder
        raise FileError(where, f"cannot be written: {reason}") from error
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
