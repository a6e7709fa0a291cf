"""A file that is written over several runs: each goes on where the one before was stopped."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from fenjie.errors import FenjieError, FileError
from fenjie.files import WINDOWS, flush, followed, keep_mode, named_elsewhere
from fenjie.scale.journal import Conditions, Journal
from fenjie.scale.outputs import Finish

if not WINDOWS:  # there two runs of one output are not kept apart
    import fcntl

INTERVAL = 1.0
"""Seconds between two entries in the journal: so much work is lost when a run is stopped."""

OUTPUT, FINISHED = "output", "finished"


def folder_of(path: Path) -> Path:
    """The folder beside an output that holds what a run needs to go on."""
    return path.with_name(path.name + ".partial")


def check_no_partial(path: Path) -> None:
    """See to it that no run of an output waits to go on.

    Raises:
        FenjieError: one does.
    """
    if (folder := folder_of(path)).exists():
        raise FenjieError(
            f"{folder}: holds a run that was stopped; --resume goes on with it, and when this "
            f"folder is removed, a run begins anew"
        )


class Resumable:
    """The output of a run that can go on.

    Attributes:
        place: where the input is to be read from; None for its beginning.
    """

    def __init__(self, folder: Path, conditions: Conditions) -> None:
        """Begin a run, or go on with one.

        Args:
            folder: see `folder_of`.
            conditions: what the run depends on.

        Raises:
            FenjieError: the run was begun under other conditions, or its files are damaged.
        """
        self._journal = Journal(folder, conditions)
        state = self._journal.state or [None, 0, False]
        if not _is_state(state):
            raise FileError(folder, "is damaged", expected="to be removed, to begin anew")
        self.place, self._written, self.complete = state
        self._noted = time.monotonic()
        if not self.complete:
            self._file = self._opened(folder / OUTPUT)

    def _opened(self, path: Path) -> BinaryIO:
        """The output so far, to be written on; what the journal does not know is cut off."""
        size = path.stat().st_size if path.exists() else 0
        if size < self._written:
            found, expected = f"{size} bytes", f"at least {self._written}; remove its folder"
            raise FileError(path, "is damaged", found=found, expected=expected)
        file = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115
        file.truncate(self._written)
        file.seek(self._written)
        return file

    def write(self, data: bytes) -> None:
        """Write bytes, which count from the next `done` on."""
        self._file.write(data)

    def done(self, place: Any) -> None:
        """Take note of a place, not more than once in `INTERVAL`."""
        self.place, self._written = place, self._file.tell()
        if time.monotonic() - self._noted >= INTERVAL:
            self._note()

    def end(self) -> None:
        """Take note that the output is complete."""
        if not self.complete:
            self._written = self._file.tell()
            self._note(complete=True)
            self.complete = True
            self._file.close()

    def _note(self, *, complete: bool = False) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._journal.note([self.place, self._written, complete])
        self._noted = time.monotonic()

    def stop(self) -> None:
        """Take note of the last place, if there is one and the file system lets it."""
        if self.complete:  # that is noted, and no file is open
            return
        with suppress(OSError):
            if self.place is not None:
                self._note()
            self._file.close()


@contextmanager
def resumable_file(
    path: Path, conditions: Conditions, finish: Finish | None = None
) -> Iterator[Resumable]:
    """A file that takes its name when the block ends well; till then all is kept to go on.

    Args:
        path: the file.
        conditions: what the output depends on, the input and the options.
        finish: makes the file of what was written; None where that is the file.

    Raises:
        FileError: it cannot be written, or another file in the block is refused by the file system.
        FenjieError: the run was begun under other conditions, or goes on in another process.
    """
    if path.exists() and not path.is_file():
        raise FileError(path, "cannot be resumed", expected="the path of a file")
    given = path
    try:
        path = followed(path)
        folder = folder_of(path)
        folder.mkdir(exist_ok=True)
        with _locked(folder):
            output = Resumable(folder, conditions)
            try:
                yield output
                output.end()
            except BaseException:
                output.stop()
                if output.place is None:
                    shutil.rmtree(folder)
                raise
            _finish(folder, path, finish)
    except OSError as error:
        reason = error.strerror or str(error)
        other = named_elsewhere(error, path)
        if other is not None and named_elsewhere(error, folder_of(path)) is not None:
            raise FileError(other, reason) from error
        raise FileError(given, f"cannot be written: {reason}") from error


def _finish(folder: Path, path: Path, finish: Finish | None) -> None:
    """Give the output its name, if that was not done before this was interrupted."""
    made = folder / OUTPUT
    if made.exists():
        if finish is not None:
            written, made = made, folder / FINISHED
            finish(written, made)
            flush(made)
        if path.exists():
            keep_mode(path, made)
        made.replace(path)
        with suppress(OSError):  # a folder that we may write to, but not read
            flush(path.parent)
    elif not path.exists():
        raise FileError(made, "is gone", expected=f"to be there; remove {folder} to begin anew")
    shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """A folder that no other process has locked.

    Raises:
        FenjieError: another one has.
    """
    if WINDOWS:
        yield
        return
    lock = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FenjieError(f"{folder}: another process writes to it now") from error
        yield
    finally:
        os.close(lock)


def _is_state(state: Any) -> bool:
    """Whether a state of the journal is a place, the bytes written, and whether that is all."""
    return (
        isinstance(state, list)
        and len(state) == 3
        and type(state[1]) is int
        and state[1] >= 0
        and type(state[2]) is bool
    )
