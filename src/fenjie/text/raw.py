"""Lines of raw text, to learn from."""

from __future__ import annotations

import os
from collections.abc import Iterator

from fenjie.errors import FileError
from fenjie.files import read_lines


def raw_lines(path: str | os.PathLike[str], encoding: str = "utf-8") -> Iterator[str]:
    """The lines of a file of raw text, without their line ends.

    A NUL stands in no text: it tells a file of another kind or encoding (UTF-16), or one of which a
    part was never written.

    Args:
        path: the file, plain, gzip or xz.
        encoding: as in `read_lines`.

    Raises:
        FileError: the file cannot be read, or a line holds a NUL or is not text in this encoding.
        FenjieError: there is no such encoding.
    """
    for number, line in read_lines(path, encoding):
        if "\0" in line:
            raise FileError(
                path, "holds a NUL character", line=number, found=line, expected=f"{encoding} text"
            )
        yield line
