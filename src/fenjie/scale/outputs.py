"""Where output goes: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from fenjie.errors import FileError
from fenjie.files import atomic


class StandardOutput:
    """Standard output; what is written can be read at once."""

    def write(self, data: bytes) -> None:
        """Write bytes.

        Raises:
            FileError: they cannot be written.
        """
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            reason = error.strerror or str(error)
            raise FileError("standard output", f"cannot be written: {reason}") from error

    def done(self, place: Any) -> None:
        """Do nothing: what is written is written."""


class FileOutput:
    """A file that is written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        """Write bytes."""
        self._file.write(data)

    def done(self, place: Any) -> None:
        """Do nothing: the file counts when it is whole."""


Finish = Callable[[Path, Path], None]
"""Makes a file, the second path, of what was written to the first."""


@contextmanager
def whole_file(path: Path, finish: Finish | None = None) -> Iterator[FileOutput]:
    """A file that takes its name when the block ends well.

    Args:
        path: the file.
        finish: makes the file of what was written; None where that is the file.

    Raises:
        FileError: it cannot be written.
    """
    with atomic(path) as made:
        if finish is None:
            with open(made, "wb") as file:
                yield FileOutput(file)
            return
        from tempfile import TemporaryDirectory  # slow to import, seldom used

        # Where nothing can be replaced, as a pipe, what is beside it is not ours.
        with TemporaryDirectory(dir=None if made == path else made.parent) as folder:
            written = Path(folder) / "written"
            with open(written, "wb") as file:
                yield FileOutput(file)
            finish(written, made)
