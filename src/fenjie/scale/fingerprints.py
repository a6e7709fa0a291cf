"""What tells one input from another: sizes and checksums."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fenjie.errors import FileError
from fenjie.files import sha256
from fenjie.scale.blocks import STANDARD

DIGITS = 32
"""Hexadecimal digits of a checksum that are kept."""


def fingerprint(path: str | os.PathLike[str]) -> str:
    """Size and checksum of a file.

    Raises:
        FileError: it cannot be read, or is none that can be read again.
    """
    if path == STANDARD or (Path(path).exists() and not Path(path).is_file()):
        raise FileError(path, "cannot be read again to resume", expected="a file")
    digits = sha256(path)[:DIGITS]
    return f"of {Path(path).stat().st_size} bytes, SHA-256 {digits}"


def fingerprints(files: Sequence[str]) -> dict[str, str]:
    """The fingerprints of some input files, in order.

    Raises:
        FileError: one cannot be read, or is none that can be read again.
    """
    return {
        f"input {number}": f"{Path(path).name} {fingerprint(path)}"
        for number, path in enumerate(files, 1)
    }


@contextmanager
def unchanged(files: Sequence[str]) -> Iterator[None]:
    """Where files are read that nobody may write to meanwhile.

    Raises:
        FileError: somebody did.
    """
    before = [_written(path) for path in files]
    yield
    for path, known in zip(files, before, strict=True):
        if _written(path) != known:
            raise FileError(path, "was changed while it was read")


def _written(path: str) -> tuple[int, int]:
    found = Path(path).stat()
    return found.st_size, found.st_mtime_ns
