"""The errors that fenjie raises for bad input: one clear line each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any


class FenjieError(ValueError):
    """Bad input or a bad setting. The command line prints it as one line and exits with code 2."""


class FenjieWarning(UserWarning):
    """Input of which a part is left aside. The command line prints it as one line and goes on."""


class FileError(FenjieError):
    """A file that does not hold what it should.

    The message names the file, the line, what was found and what was expected.

    Attributes:
        path: the file.
        line: the line it is wrong in, counted from 1, where that is known.
        reason: the message without the file and the line.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        message: str,
        *,
        line: int | None = None,
        found: object = None,
        expected: str | None = None,
    ) -> None:
        """Make the message.

        Args:
            path: the file (or `-` for standard input).
            message: what is wrong, in a few words.
            line: the line it is wrong in, counted from 1.
            found: what stands there; shown by `repr`, shortened.
            expected: what should stand there.
        """
        where = f"{path}:{line}" if line is not None else f"{path}"
        reason = message
        if found is not None:
            reason += f"; found {shorten(found)}"
        if expected is not None:
            reason += f"; expected {expected}"
        super().__init__(f"{where}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        """The parts that it is made of again in another process."""
        return _again, (self.path, self.line, self.reason)


def _again(path: str | PathLike[str], line: int | None, reason: str) -> FileError:
    return FileError(path, reason, line=line)


@contextmanager
def needing(what: str, extra: str) -> Iterator[None]:
    """Where a package is imported that not every installation has.

    Args:
        what: what wants it, up to its name: `training needs`.
        extra: the extra of fenjie that brings it.

    Raises:
        FenjieError: it is not installed; the message says how to install it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise FenjieError(not_installed(what, error.name, extra)) from error


def not_installed(what: str, package: str | None, extra: str) -> str:
    """How to get a package that is missing; for what is given see `needing`."""
    return f"{what} {package}, which is not installed: pip install 'fenjie[{extra}]'"


def several(values: Any, what: str = "texts") -> Any:
    """Values that are several; a text would be taken character by character.

    Raises:
        FenjieError: they are one text, a table, whose names of columns would be taken, or nothing
            to iterate over.
    """
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        kind = f"found a {type(values).__name__} of {len(shape)} dimensions"
        raise FenjieError(f"{kind}; expected {what}, such as one column of it")
    if isinstance(values, str | bytes) or not hasattr(type(values), "__iter__"):
        raise FenjieError(f"found {shorten(values)}; expected {what}, such as a list of them")
    return values


_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) != "\t"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}


def shown(text: str) -> str:
    """A text that a terminal can show: control characters, line ends among them, are not obeyed."""
    return text.translate(_PICTURES)


def lines_shown(text: str) -> str:
    """Lines whose control characters a terminal shows and does not obey, but for their ends."""
    return "".join(shown(line) + end for line, end in re.findall(r"([^\n]*?)(\r?\n|\Z)", text))


MOST = 300
"""Characters of the message of another library in one of ours."""


def first_line(error: Exception) -> str:
    """The first line of another library's error that says something; else the name of its class."""
    lines = (" ".join(line.split()) for line in str(error).splitlines())
    return next(filter(None, lines), type(error).__name__)[:MOST]


def in_one_line(error: Exception) -> str:
    """The message of another library's error, whose first line says too little by itself."""
    return " ".join(str(error).split())[:MOST]


LONGEST = 60
"""Characters of a value in a message."""


def shorten(value: object) -> str:
    """The `repr` of a value, at most `LONGEST` characters, on one line, safe to print."""
    try:
        text = ascii(value) if isinstance(value, bytes) else repr(value)
    except (RecursionError, ValueError):  # nested too deep, or an integer of too many digits
        text = f"a value that cannot be shown ({type(value).__name__})"
    text = " ".join(text.encode("utf-8", "backslashreplace").decode("utf-8").splitlines())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
