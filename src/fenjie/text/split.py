"""Texts of any length as sentences, passages and overlapping windows."""

from __future__ import annotations

import re
from itertools import pairwise

from fenjie.errors import FenjieError

Interval = tuple[int, int]

WINDOW = 512
"""The most characters that a tagger reads at once."""

PASSAGE = 200
"""Characters that are read at once where the text allows it, lines or sentences of a line, by a
model of entities that has no number of its own."""

LONGEST_PASSAGE = 340
"""A longer passage would need windows of more than `WINDOW`."""

_LINE_ENDS = "\n\r\u0085\u2028\u2029"
_LINE = re.compile(f"[^{_LINE_ENDS}]+[{_LINE_ENDS}]*|[{_LINE_ENDS}]+")
_END = re.compile(
    f"(?:[。！？…；｡!?]+[”’」』）】》〉〕］｝〗〙\"')\\]}}]*)+[{_LINE_ENDS}]*|[{_LINE_ENDS}]+"
)


def window_of(passage: int) -> int:
    """Characters of the windows through which a sentence is read that is longer than these.

    They are half as long again as a passage, and a third of one is shared with the next. The scores
    are put together, and the sentence is decoded whole.
    """
    return passage * 3 // 2


def sentences(text: str) -> list[Interval]:
    """The sentences of a text, as intervals that tile it.

    A sentence ends after 。！？…； or a line end, and takes closing quotes and brackets, further
    ends and line ends after it along. `!` and `?` end one too, but not before an ASCII character
    (as in a URL). A text without an end is one sentence. The time is linear in the length.
    """
    bounds = [0]
    for match in _END.finditer(text):
        if not _inside_ascii(text, match):
            bounds.append(match.end())
    if bounds[-1] < len(text):
        bounds.append(len(text))
    return list(pairwise(bounds))


def passages(text: str, size: int) -> list[Interval]:
    """Stretches of a text that are read at once, as intervals that tile it.

    They are its lines, with their line ends; a line of more than `size` characters is cut after
    sentences, so that each piece holds as many of them as fit. Only a single sentence can make a
    piece longer than `size`.
    """
    found: list[Interval] = []
    for line in _LINE.finditer(text):
        start, end = line.span()
        if end - start <= size:
            found.append((start, end))
            continue
        last = start
        for _, stop in sentences(line[0]):
            stop += line.start()
            if stop - start > size and last > start:
                found.append((start, last))
                start = last
            last = stop
        found.append((start, end))
    return found


def _inside_ascii(text: str, match: re.Match[str]) -> bool:
    """Whether the match is ASCII and goes on in ASCII without a space, as in `a?b=1`."""
    return (
        match[0].isascii()
        and match[0][-1] not in _LINE_ENDS
        and ("!" <= text[match.end() : match.end() + 1] <= "~")
    )


def windows(length: int, size: int, overlap: int) -> list[Interval]:
    """Overlapping windows that cover `length` positions, each at most `size` long.

    Neighbours share at least `overlap` positions; the last window is moved back so that it is
    full. A length within `size` is one window, no length none.

    Raises:
        FenjieError: `overlap` does not lie between 0 and `size` - 1.
    """
    if not 0 <= overlap < size:
        raise FenjieError(
            f"a window of {size} cannot overlap by {overlap}; expected 0 to {size - 1}"
        )
    if length <= size:
        return [(0, length)] if length else []
    starts = [*range(0, length - size, size - overlap), length - size]
    return [(start, start + size) for start in starts]
