"""Files of user words: a word a line, after it a frequency, a part of speech, a label, `force`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike

from fenjie.errors import FileError
from fenjie.files import read_lines
from fenjie.runtime.words.preferred import FORCED, USUAL
from fenjie.runtime.words.user_words import UserWord

COMMENT = "#"
"""The first column of a line of a file that is a comment."""

NUMBER = re.compile(r"\d{1,300}(?:\.\d+)?")
"""A frequency; more digits make none that can be counted with."""

FORCE = "force"
"""Stands after a word that is found wherever it occurs."""

_COLUMN = re.compile(rf"{NUMBER.pattern}|[a-z][a-z0-9]*|[A-Z]+")
"""A frequency, or a part of speech as jieba and the treebanks write it."""

_IGNORED = re.compile(rf"{NUMBER.pattern}|[a-z][a-z0-9]*")
"""A frequency, or a part of speech as jieba writes it."""


def read_words(path: str | PathLike[str], force: bool = False) -> dict[str, UserWord]:
    """The words of a file: UTF-8, a word a line, as in the user dictionaries of jieba.

    After the word, after spaces or tabs, a frequency and a part of speech may stand: the frequency
    is the word's weight, a part of speech is ignored. `force` there makes it a word that is found
    wherever it occurs. Empty lines are ignored, and lines that begin with `#` and whitespace.

    Args:
        path: the file.
        force: whether all its words are found wherever they occur.

    Returns:
        The words and what is known of each.

    Raises:
        FileError: the file cannot be read, or something else stands after a word.
    """
    words: dict[str, UserWord] = {}
    for number, word, columns in _entries(path, str.split):
        for column in columns:
            if not _COLUMN.fullmatch(column):
                raise FileError(
                    path,
                    "neither a frequency nor a part of speech after a user word",
                    line=number,
                    found=column,
                    expected="a word without whitespace, then a number from 0 on, a tag or `force`",
                )
        words[word] = UserWord(FORCED if force else weight_in(columns))
    return words


def weight_in(columns: Sequence[str]) -> float:
    """The weight of a word, from what stands after it in its line; without one the usual weight.

    `FORCE` counts wherever it stands; of several numbers the first one.
    """
    if FORCE in columns:
        return FORCED
    return next((float(column) for column in columns if NUMBER.fullmatch(column)), USUAL)


def read_user_lines(path: str | PathLike[str]) -> Iterator[tuple[int, str]]:
    """The lines of a file of user words, with their numbers.

    Raises:
        FileError: the file cannot be read, or is not UTF-8.
    """
    try:
        yield from read_lines(path)
    except FileError as error:
        if error.line is None:
            raise
        message = "not utf-8 text"
        raise FileError(path, message, line=error.line, expected="user words in utf-8") from error


def read_labelled(path: str | PathLike[str], labels: Iterable[str]) -> dict[str, UserWord]:
    """The words of a file and what is known of them; see `EntityWords.read`.

    Args:
        path: the file.
        labels: those of the model; in the file case does not matter.

    Raises:
        FileError: the file cannot be read, something else stands after a word, or a word that holds
            spaces has no label.
    """
    known = {label.casefold(): label for label in labels}
    words: dict[str, UserWord] = {}
    for number, word, columns in _entries(path, _at_tab):
        label = None
        for column in columns:
            if column.casefold() in known:
                if label not in (None, known[column.casefold()]):
                    reason = "two labels after a user word"
                    both = f"{label} {column}"
                    raise FileError(path, reason, line=number, found=both, expected="one of them")
                label = known[column.casefold()]
            elif not _IGNORED.fullmatch(column):
                raise FileError(
                    path,
                    "neither a label of the model nor a frequency or part of speech",
                    line=number,
                    found=column,
                    expected=f"a word, then one of {', '.join(known.values())} or nothing; a tab "
                    "after a word that holds spaces",
                )
        if label is None and any(map(str.isspace, word.strip())):
            raise FileError(
                path,
                "a word that holds spaces has no label",
                line=number,
                found=word,
                expected=f"one of {', '.join(known.values())} after the tab",
            )
        words[word] = UserWord(weight_in(columns), label)
    return words


def _entries(
    path: str | PathLike[str], parted: Callable[[str], list[str]]
) -> Iterator[tuple[int, str, list[str]]]:
    """The number of each line that has a word, the word, and what stands after it.

    Args:
        path: the file.
        parted: parts a line into a word and what stands after it.

    Raises:
        FileError: as `read_user_lines`.
    """
    for number, line in read_user_lines(path):
        first = line.split(maxsplit=1)
        if first and first[0] != COMMENT:
            word, *columns = parted(line.lstrip())
            yield number, word, columns


def _at_tab(line: str) -> list[str]:
    """A word and what stands after it, if anything; before a tab all is the word, with spaces."""
    word, tab, rest = line.partition("\t")
    return [word, *rest.split()] if tab else line.split()
