"""Files: written whole or not at all, read with clear errors, packed or plain."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from fenjie.errors import FenjieError, FileError


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path` that takes its name when the block ends well.

    The block may make a file or a folder there. If it fails, nothing stays behind and an older
    `path` is untouched.

    Raises:
        FileError: the file system refuses (disk full, no permission, no such folder).
    """
    path = Path(path)
    temporary: Path | None = None
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        temporary = folder
        made = folder / path.name
        yield made
        _replace(made, path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"cannot be written: {reason}") from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def _replace(made: Path, path: Path) -> None:
    """Move `made` to `path`; a folder already there steps aside first."""
    if made.is_dir():
        if path.is_dir():
            path.rename(made.parent / "old")
    else:
        with open(made, "rb") as file:
            os.fsync(file.fileno())
    made.replace(path)


@contextmanager
def open_bytes(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for reading; gzip and xz are recognised by their first bytes.

    Raises:
        FileError: the file is missing, unreadable, or its packing is damaged.
    """
    try:
        with open(path, "rb") as raw:
            head = raw.peek(6)[:6]
            if head[:2] == b"\x1f\x8b":
                yield cast(BinaryIO, gzip.open(raw))
            elif head == b"\xfd7zXZ\x00":
                yield cast(BinaryIO, lzma.open(raw))
            else:
                yield raw
    except FenjieError:
        raise
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise FileError(path, f"is packed but damaged: {error}") from error
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or error}") from error


def read_lines(
    path: str | os.PathLike[str], encoding: str = "utf-8"
) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers, counted from 1, without their line ends.

    Lines end at LF or CRLF (a lone CR ends a line too where the file has no LF). A byte order
    mark is dropped.

    Args:
        path: the file, plain, gzip or xz.
        encoding: `utf-8` or `gb18030`, or any other that Python knows.

    Raises:
        FileError: the file cannot be read, or a line is not text in this encoding.
    """
    with open_bytes(path) as file:
        for number, raw in enumerate(_physical_lines(file), 1):
            try:
                line = raw.decode(encoding)
            except UnicodeDecodeError as error:
                raise FileError(
                    path,
                    f"not {encoding} text",
                    line=number,
                    found=raw[error.start : error.start + 8],
                    expected=f"{encoding} (another encoding can be named, such as gb18030)",
                ) from error
            except LookupError as error:
                raise FenjieError(f"unknown encoding {encoding!r}") from error
            yield number, line.removeprefix("\ufeff") if number == 1 else line


def _physical_lines(file: BinaryIO) -> Iterator[bytes]:
    for raw in file:
        line = raw.rstrip(b"\n")
        line = line.removesuffix(b"\r")
        if b"\r" in line and not raw.endswith(b"\n"):
            yield from line.split(b"\r")
        else:
            yield line


def sha256(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file, as hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
