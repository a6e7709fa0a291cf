"""Texts in stretches of bounded size: short ones together, long ones in parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, shorten
from fenjie.runtime.rows import is_space
from fenjie.runtime.rules.unsplittable import find_unsplittable
from fenjie.text.vocabulary import code_points

CHUNK = 1 << 16
"""Characters of the texts that are worked on at once, about, whatever their number."""

PART = 1 << 15
"""Characters of the parts of a longer text that are worked on at once, about."""

AHEAD = 64
"""Characters after the last place for a cut that the rules for numbers and Latin words see."""

Cover = Callable[[str], NDArray[np.bool_]]
"""Marks the characters of a text that a user word holds together with the one before: `[length]`"""

_HAN = "[\u3400-\u9fff]"

_PLACES = (
    r"\n(?=\S)",
    rf"[。！？…；][”’」』）】》〉]*(?={_HAN})",
    r"\s(?=\S)",
    rf"{_HAN}(?={_HAN})",
)
"""After what a long text is cut, the best first."""


class Part(NamedTuple):
    """A part of a text.

    Attributes:
        offset: where it begins in the text.
        text: its characters.
        goes_on: whether its first character belongs to the last word of the part before: a number,
            a Latin word or a run of whitespace is too long for one part.
    """

    offset: int
    text: str
    goes_on: bool = False


def chunks(texts: Iterable[str], characters: int) -> Iterator[list[str]]:
    """Texts in lists of about so many characters; one longer than `PART` stands alone.

    Raises:
        FenjieError: these are no texts, or one of them is none.
    """
    given: object = texts
    try:
        if isinstance(given, bytes | bytearray):  # whose numbers would be no texts
            raise TypeError
        listed = iter(texts)
    except TypeError:
        raise FenjieError(f"no texts; found {shorten(texts)}, expected str") from None
    chunk: list[str] = []
    size = 0
    for number, text in enumerate(listed, 1):
        if not isinstance(text, str):
            raise FenjieError(f"text {number} is no text; found {shorten(text)}, expected str")
        if chunk and (len(text) > PART or len(chunk[0]) > PART or size + len(text) > characters):
            yield chunk
            chunk, size = [], 0
        chunk.append(text)
        size += len(text) + 1
    if chunk:
        yield chunk


def is_long(chunk: Sequence[str]) -> bool:
    """Whether a chunk is one text that is worked on in parts."""
    return len(chunk) == 1 and len(chunk[0]) > PART


def parts(text: str, covered: Cover | None = None) -> Iterator[Part]:
    """A long text in parts of `PART` to twice as many characters.

    A part ends after a line break that no whitespace follows; where there is none, after a
    sentence, else after whitespace, else between two Chinese characters, else where no number,
    Latin word or address is cut. It never ends inside of a user word of at most `PART` characters.

    Args:
        text: a text of any length.
        covered: finds the user words; None where there are none.
    """
    start, goes_on = 0, False
    while len(text) - start > PART:
        stretch = text[start : start + 2 * PART + AHEAD]
        size, next_goes_on = _size(stretch, None if covered is None else covered(stretch))
        if start + size >= len(text):
            break
        yield Part(start, stretch[:size], goes_on)
        start, goes_on = start + size, next_goes_on
    yield Part(start, text[start:], goes_on)


def _size(stretch: str, covered: NDArray[np.bool_] | None) -> tuple[int, bool]:
    """Size of the part that a stretch begins with, and whether its last word goes on after it."""
    low, high = PART, min(2 * PART, len(stretch))
    for place in _PLACES:
        for found in re.compile(place).finditer(stretch, low, high):
            if covered is None or not covered[found.end()]:
                return found.end(), False
    if len(stretch) <= 2 * PART:
        return len(stretch), False
    codes = code_points(stretch)
    inside = find_unsplittable(stretch, codes).inside
    space = is_space(codes)
    inside[1:] |= space[1:] & space[:-1]
    if covered is not None:
        inside |= covered
    apart = low + np.flatnonzero(~inside[low : high + 1])
    # A sign or a point may belong to the number after it, which is seen from the text before it.
    begun = [place for place in apart[-AHEAD:].tolist() if stretch[place].isalnum()]
    if len(apart):
        return (begun or apart.tolist())[-1], False
    return high, True
