"""Files: written whole or not at all, read with clear errors, packed or plain."""

from __future__ import annotations

import codecs
import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, RawIOBase
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

from fenjie.errors import FenjieError, FileError

WINDOWS = os.name == "nt"
"""Whether folders can be neither opened nor locked: what a killed process leaves behind stays."""

if not WINDOWS:
    import fcntl

_PREFIX, _SUFFIX = ".fenjie-", ".partial"
"""The folder in which a file is written begins and ends so."""

_NEW, _OLDER = "new", "older"
"""The folders in it: of what is being written, and of a folder that is being replaced."""


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path` that takes its name when the block ends well.

    The block may make a file or a folder there. If it fails, nothing stays behind and an older
    `path` is untouched. What a process that was killed has left behind, the next call for the same
    folder removes; an older folder whose place was not taken yet it puts back. A symbolic link
    stays one: what it points to is replaced, and keeps its mode. A pipe or a device cannot be
    replaced and is written straight to.

    Raises:
        FileError: the file system refuses (disk full, no permission, no such folder), or refuses
            another file in the block.
    """
    given = Path(path)
    temporary: Path | None = None
    lock = -1
    try:
        if given.exists() and not (given.is_file() or given.is_dir()):
            yield given
            return
        path = followed(given)
        _sweep(path.parent)
        temporary, lock = _temporary(path.parent)
        made = temporary / _NEW / path.name
        made.parent.mkdir()
        yield made
        _replace(made, path)
    except OSError as error:
        reason = error.strerror or str(error)
        if (other := named_elsewhere(error, given)) is not None:
            raise FileError(other, reason) from error
        raise FileError(given, f"cannot be written: {reason}") from error
    finally:
        if temporary is not None:
            _clear(temporary)
        if lock >= 0:
            os.close(lock)


def named_elsewhere(error: OSError, output: str | os.PathLike[str]) -> str | None:
    """The file that an error names, if it has nothing to do with an output: an input, perhaps.

    Args:
        error: what the file system refuses.
        output: a file or a folder that was being written.

    Returns:
        The file; None where the error names none, the output, what is in it or what it is in, or
        what is still temporary.
    """
    if not isinstance(error.filename, str | bytes):
        return None
    named = os.fsdecode(error.filename)
    found, place = Path(os.path.realpath(named)), Path(os.path.realpath(output))
    if found.is_relative_to(place) or place.is_relative_to(found):
        return None
    temporary = any(part.startswith(_PREFIX) and part.endswith(_SUFFIX) for part in found.parts)
    return None if temporary else named


def check_rereadable(path: str | os.PathLike[str]) -> None:
    """Refuse what can be read but once, such as a pipe: a second look at it would find less.

    Raises:
        FileError: it is there and is no file.
    """
    if Path(path).exists() and not Path(path).is_file():
        raise FileError(path, "cannot be read more than once", expected="a file")


def followed(path: Path) -> Path:
    """The path that symbolic links lead to; it need not be there.

    Raises:
        OSError: they lead in a circle.
    """
    found = Path(os.path.realpath(path))
    if found.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return found


def _temporary(folder: Path) -> tuple[Path, int]:
    """A new folder in another, and the descriptor whose lock ends with this process; -1 for none.

    Windows cannot open a folder, so there it has no lock.
    """
    import tempfile  # as shutil, lzma and the like long in coming, and reading a text needs none

    while True:
        made = Path(tempfile.mkdtemp(_SUFFIX, _PREFIX, folder))
        if WINDOWS:
            return made, -1
        with suppress(FileNotFoundError):  # swept away before it was locked
            lock = os.open(made, os.O_RDONLY)
            with suppress(OSError):  # a file system without locks
                fcntl.flock(lock, fcntl.LOCK_EX)
            if made.exists():
                return made, lock
            os.close(lock)


def _sweep(folder: Path) -> None:
    """Remove what processes that were killed left in a folder: what nobody holds the lock of."""
    if WINDOWS:
        return
    for left in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with suppress(OSError):  # in use, or gone
            lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _clear(left)
            finally:
                os.close(lock)


def _clear(temporary: Path) -> None:
    """Remove a temporary folder; a folder set aside there that was not replaced comes back.

    If it cannot, all of it stays.
    """
    import shutil

    with suppress(OSError):
        for aside in temporary.glob(f"{_OLDER}/*"):
            path, made = temporary.parent / aside.name, temporary / _NEW / aside.name
            if made.exists() and not os.path.lexists(path):
                aside.rename(path)
        shutil.rmtree(temporary, ignore_errors=True)


def _replace(made: Path, path: Path) -> None:
    """Move `made` to `path`; a folder that is already there steps aside, see `_clear`."""
    for file in made.rglob("*") if made.is_dir() else [made]:
        if file.is_file() or file == made:
            flush(file)
    if path.exists():
        keep_mode(path, made)
    if made.is_dir() and path.is_dir():
        aside = made.parent.with_name(_OLDER) / path.name
        aside.parent.mkdir()
        path.rename(aside)
        made.rename(path)
    else:
        made.replace(path)
    with suppress(OSError):  # a folder that we may write to, but not read
        flush(path.parent)


def keep_mode(path: Path, made: Path) -> None:
    """Give what is made the owner of what it replaces, as far as one may, and its mode."""
    older = path.stat()
    with suppress(OSError, AttributeError):  # not ours to give; Windows
        os.chown(made, older.st_uid, older.st_gid)
    made.chmod(stat.S_IMODE(older.st_mode))


def flush(path: Path) -> None:
    """See to it that the content of a file, or the names in a folder, are on the disk.

    Windows cannot open a folder, and flushes only files that are open for writing.
    """
    if WINDOWS and path.is_dir():
        return
    opened = os.open(path, os.O_RDWR if WINDOWS else os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def open_bytes(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for reading; gzip and xz are recognised by their first bytes.

    Args:
        path: the file, or `-` for standard input.

    Raises:
        FileError: the file is missing, unreadable, or its packing is damaged.
    """
    try:
        with open(0, "rb", closefd=False) if path == "-" else open(path, "rb") as opened:
            raw = _with_head(opened)
            head = raw.peek()
            if head.startswith((_GZIP, _XZ)):
                with _unpacked(raw, head, path) as unpacked:
                    yield unpacked
            else:
                yield raw
    except (FenjieError, BrokenPipeError):
        raise
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or error}") from error


@contextmanager
def _unpacked(raw: BufferedReader, head: bytes, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The content of a packed file."""
    import gzip
    import lzma
    import zlib

    try:
        with gzip.open(raw) if head.startswith(_GZIP) else lzma.open(raw) as unpacked:
            yield cast(BinaryIO, unpacked)
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise FileError(path, f"is packed but damaged: {error}") from error


_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"


def _with_head(opened: BufferedReader) -> BufferedReader:
    """A file whose first bytes, though they come one by one through a pipe, tell its packing."""
    head = opened.peek()
    if not any(mark != head and mark.startswith(head) for mark in (_GZIP, _XZ)) or not head:
        return opened
    read = opened.read1()
    while any(mark != read and mark.startswith(read) for mark in (_GZIP, _XZ)):
        if not (more := opened.read1()):
            break
        read += more
    return BufferedReader(_Joined(read, opened))


class _Joined(RawIOBase):
    """Bytes that were read already, and the rest of the file that they came from."""

    def __init__(self, head: bytes, rest: BufferedReader) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._head:
            return self._rest.readinto1(buffer)
        size = min(len(buffer), len(self._head))
        buffer[:size], self._head = self._head[:size], self._head[size:]
        return size


def read_lines(path: str | os.PathLike[str], encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers, counted from 1, without their line ends.

    Lines end at LF or CRLF; in a file without any LF, or with none but at its end, at CR. A byte
    order mark is dropped.

    Args:
        path: the file, plain, gzip or xz.
        encoding: `utf-8` or `gb18030`, or another that Python knows in which LF is one byte.

    Raises:
        FileError: the file cannot be read, or a line is not text in this encoding.
        FenjieError: there is no such encoding.
    """
    encoding = checked_encoding(encoding)
    with open_bytes(path) as file:
        for number, raw in enumerate(_physical_lines(file), 1):
            line = decoded(raw, encoding, path, number)
            yield number, line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line


BYTE_ORDER_MARK = "\ufeff"


def decoded(content: bytes, encoding: str, path: str | os.PathLike[str], line: int = 1) -> str:
    """The text of a file, or of a part of it that begins in this line.

    Raises:
        FileError: it is not text in this encoding.
    """
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        if line == 1 and content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            expected = f"{encoding}: convert it, as by iconv -f utf-16 -t {encoding}"
            raise FileError(path, "UTF-16 text", line=line, expected=expected) from error
        raise FileError(
            path,
            f"not {encoding} text",
            line=line + content.count(b"\n", 0, error.start),
            found=content[error.start : error.start + 8],
            expected=f"{encoding} (another encoding can be named, such as gb18030, by --encoding "
            f"in a command, by `encoding` in a recipe)",
        ) from error


def checked_encoding(encoding: str) -> str:
    """The name of an encoding that files can be read and written in, line by line.

    Raises:
        FenjieError: there is no such encoding, or its line ends are not one byte (UTF-16).
    """
    try:
        newline = "\n".encode(encoding)
    except (LookupError, ValueError) as error:
        raise FenjieError(f"unknown encoding {encoding!r}; expected utf-8 or gb18030") from error
    if newline not in (b"\n", codecs.BOM_UTF8 + b"\n"):
        raise FenjieError(
            f"encoding {encoding!r} is not supported; expected utf-8 or gb18030: "
            f"convert it to utf-8"
        )
    return "utf-8" if newline != b"\n" else encoding


def _physical_lines(file: BinaryIO) -> Iterator[bytes]:
    first = file.readline()
    body = first.removesuffix(b"\n").removesuffix(b"\r")
    # Only where there is a CR inside of the first line, the second tells what that CR is.
    second = file.readline() if b"\r" in body else b""
    if b"\r" in body and not second:
        yield from body.split(b"\r")
        return
    for raw in chain(filter(None, (first, second)), file):
        yield raw.removesuffix(b"\n").removesuffix(b"\r")


def sha256(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file, as hexadecimal digits.

    Raises:
        FileError: the file cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or error}") from error


@contextmanager
def refusals(folder: Path) -> Iterator[None]:
    """Where a run writes in a folder: what the file system refuses is one line with the place.

    Raises:
        FileError: a file there cannot be written, or another one is refused.
    """
    try:
        yield
    except BrokenPipeError:  # of what is printed
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        if (other := named_elsewhere(error, folder)) is not None:
            raise FileError(other, reason) from error
        where = error.filename if isinstance(error.filename, str) else folder
        raise FileError(where, f"cannot be written: {reason}") from error
