"""Where the tags stand in lines of columns, and in which form: what a file looks like.

The reader of columns takes the last column. Files with the tag first (`B-PER 王`), with a score
after it (`王 B-PER 0.98`, `王 B-PER/0.98`) or with tags of another form (`b-per`, `PER-B`) are
known here, so that the error can say what they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from fenjie.corpus.lines import FilePath
from fenjie.errors import FileError
from fenjie.text.schemes import TAGS, parse

_SCORED = re.compile(r"(o|[bimeslu](-\S+)?)/[01](\.\d+)?", re.IGNORECASE)
_FOREIGN = re.compile(rf"o|[bimeslu][-_]\S*|\S+[-_][bimeslu]|{_SCORED.pattern}", re.IGNORECASE)
_SCORE = re.compile(r"-?\d*\.?\d+([eE]-?\d+)?%?")


def _is_tag(field: str) -> bool:
    return parse(field)[0] != "?"


def fields(line: str) -> list[str]:
    """The columns of a line; the first of them, the character, may itself be a space."""
    split = re.findall(r"[^ \t]+", line)
    return [line[0], *split] if line[:1] in (" ", "\t") else split


def is_tagged(line: str) -> bool:
    """Whether the last of several columns is a tag, or one of another form after a character."""
    split = line.split()
    number = len(split) + line[:1].isspace()  # the character itself may be a space
    if number < 2:
        return False
    foreign = _FOREIGN if number == 2 else _SCORED
    return _is_tag(split[-1]) or (len(split[0]) == 1 and foreign.fullmatch(split[-1]) is not None)


def is_elsewhere(lines: Sequence[str]) -> bool:
    """Whether lines have tags in another column than the last.

    So it is where at least half of them have as many columns and a tag in the same one, not always
    the same tag, and none in the last. Tags without a label, which may be words too, need a
    character alone beside them, and after a tag in the middle a number.
    """
    rows = [fields(line) for line in lines]
    width = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    rows = [row for row in rows if len(row) == width > 1 and not _is_tag(row[-1])]
    for at in range(width - 1):
        found = [row for row in rows if _is_tag(row[at])]
        if not any("-" in row[at] for row in found):
            found = [row for row in found if _is_bare(row, at)]
        if 2 * len(found) >= len(lines) and len({row[at] for row in found}) > 1:
            return True
    return False


def _is_bare(row: Sequence[str], at: int) -> bool:
    """Whether a line can only be a character and, here, its tag without a label."""
    if at == 0:
        return len(row) == 2 and len(row[1]) == 1
    return len(row[0]) == 1 and _SCORE.fullmatch(row[-1]) is not None


def no_tag(line: str, number: int, path: FilePath, last: str, *, is_first: bool) -> FileError:
    """The error of a line whose last column is no tag; of the first line, where its tag stands."""
    split = fields(line)
    for at, tag in enumerate(split[:-1] if is_first else ()):
        if _is_tag(tag) and (at or "-" in tag or len(last) == 1):
            message = f"the last of {len(split)} columns is not a tag, column {at + 1} is one"
            expected = "the character first, its tag last"
            return FileError(path, message, line=number, found=line, expected=expected)
    return FileError(path, "not a tag", line=number, found=last, expected=TAGS)
