"""What tells one input from another: sizes and checksums."""

from __future__ import annotations

import os
from collections.abc import Sequence
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


def written(files: Sequence[str]) -> list[tuple[int, int] | None]:
    """The sizes of some files and when each was last written to; None for what is not there."""
    return [_written(Path(path)) for path in files]


def check_unchanged(files: Sequence[str], before: Sequence[tuple[int, int] | None]) -> None:
    """See to it that nobody has written to files since `written` was asked.

    Raises:
        FileError: somebody did.
    """
    for path, known, now in zip(files, before, written(files), strict=True):
        if now != known:
            raise FileError(path, "was changed while it was read")


def _written(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
