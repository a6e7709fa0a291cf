"""The checksums of a model folder: the check that it is whole, and the change of files in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from fenjie.errors import FileError
from fenjie.files import atomic, flush, keep_mode, sha256
from fenjie.runtime.model_files import CHECKSUMS, FILES, NEEDED


def seal(path: str | PathLike[str]) -> None:
    """Write `checksums.txt`, in the form of sha256sum, over the files of a model folder."""
    with renewed(path):
        pass


@contextmanager
def renewed(path: str | PathLike[str]) -> Iterator[Path]:
    """A folder for new files of a model folder, which is sealed with them when the block ends well.

    Till then nothing changes in the model folder, and then but the names of the files do.

    Raises:
        FileError: a file cannot be read or written.
    """
    folder = Path(path)
    with atomic(folder / CHECKSUMS) as made:
        new = made.with_name("files")
        new.mkdir()
        yield new
        paths = [new / name if (new / name).is_file() else folder / name for name in FILES]
        sums = [f"{sha256(path)}  {path.name}\n" for path in paths if path.is_file()]
        made.write_text("".join(sums), encoding="utf-8", newline="\n")
        for file in (made, *new.iterdir()):
            flush(file)
        for file in new.iterdir():
            if (older := folder / file.name).exists():
                keep_mode(older, file)
            file.replace(older)


def verify(folder: Path) -> str:
    """Compare the files of a folder with its `checksums.txt`.

    Returns:
        The SHA-256 of `checksums.txt`, and so of all of them.

    Raises:
        FileError: one is missing, truncated, altered or not listed.
    """
    sums = _read_checksums(folder / CHECKSUMS)
    for names in NEEDED:
        if not any(name in sums for name in names):
            raise FileError(folder / names[0], "missing", expected="a model folder")
    for name, expected in sums.items():
        if (folder / name).exists() and not (folder / name).is_file():
            raise FileError(folder / name, "is not a file", expected=f"a file as in {CHECKSUMS}")
        if (found := sha256(folder / name)) != expected:
            raise FileError(
                folder / name,
                "the file is truncated or altered",
                found=f"SHA-256 {found[:16]}…",
                expected=f"{expected[:16]}…, as in {CHECKSUMS}",
            )
    for name in FILES:
        if name not in sums and (folder / name).exists():
            raise FileError(folder / name, f"not listed in {CHECKSUMS}")
    return sha256(folder / CHECKSUMS)


def _read_checksums(path: Path) -> dict[str, str]:
    if not path.is_file():
        raise FileError(path, "missing", expected="a model folder, with its checksums")
    sums = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        digest, _, name = line.decode("utf-8", "replace").partition("  ")
        if len(digest) != hashlib.sha256().digest_size * 2 or name not in FILES:
            raise FileError(
                path,
                "not a checksum of a file of a model",
                line=number,
                found=line,
                expected="64 hexadecimal digits, two spaces, the name of a file",
            )
        sums[name] = digest
    return sums
