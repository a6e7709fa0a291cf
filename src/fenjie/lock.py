"""One run at a time in a folder: a lock of the operating system, which ends with its process."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from fenjie.errors import FenjieError

LOCK, HOLDER = ".run.lock", ".run.txt"


@contextmanager
def only_run(folder: Path, what: str) -> Iterator[None]:
    """Hold the lock of the folder of a run, which is made where it is missing.

    The lock goes when the process does, however that ends. Its file stays: a run that had opened it
    just before it was removed would hold a lock beside that of the next one.

    Args:
        folder: of the run.
        what: the run, in a few words, for the message that another one gets.

    Raises:
        FenjieError: another run holds it; the message says which.
        OSError: the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock, holder = FileLock(folder / LOCK), folder / HOLDER
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise FenjieError(f"{folder} is in use by {_read(holder)}") from error
    try:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        process = f"process {os.getpid()} on {platform.node()}"
        holder.write_text(f"{what}, {process}, since {since}", encoding="utf-8", newline="\n")
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def _read(holder: Path) -> str:
    try:
        return holder.read_text(encoding="utf-8")
    except OSError:
        return "another run"
