"""The longest words of some lexicons at each character of a text: what a model of words is shown.

The lexicons are searched as one, so that each stretch of a text is hashed and looked up once,
however many of them may hold it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon import matching
from fenjie.lexicon.keys import LONGEST, Codes
from fenjie.lexicon.lexicon import Lexicon
from fenjie.lexicon.matching import Fixed, Ids, Matcher, places

LONG = 7
"""Lexicon words of this many characters and more count as equally long."""

BLOCK = 1 << 14
"""Number of matches whose characters are listed at once; a run of digits has many a character."""

VIEWS = (LONG + 1) ** 3
"""The number of things that `LongestWords` can say of a character."""


class LongestWords(NamedTuple):
    """Lengths of the longest words at each character, 0 where there is none.

    Each is `[lexicons, length]`, or `[length]` for one lexicon.

    Attributes:
        begin: those that begin with the character.
        end: those that end with it.
        cross: those that hold it and the character after it.
    """

    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    cross: NDArray[np.int32]

    def of(self, lexicon: int) -> LongestWords:
        """Those of one lexicon."""
        return LongestWords(*(column[lexicon] for column in self))

    def ids(self) -> NDArray[np.int32]:
        """One number under `VIEWS` for what is said of each character."""
        base = LONG + 1
        numbers: NDArray[np.int32] = (self.begin * base + self.end) * base + self.cross
        return numbers


class JointLexicons:
    """Some lexicons with the words that they have when they are first searched."""

    def __init__(self, lexicons: Sequence[Lexicon]) -> None:
        """Take the lexicons; what they have in common is found by the first search."""
        self._lexicons = tuple(lexicons)

    @cached_property
    def _words(self) -> tuple[Matcher, NDArray[np.bool_]]:
        """All words, and which of the lexicons have each: `[lexicons, words]`."""
        each = [lexicon.keys for lexicon in self._lexicons]
        most = max(each, key=len, default=np.empty(0, dtype=np.uint64))
        # Mostly the largest lexicon holds nearly all words of the others.
        others = [keys for keys in each if keys is not most]
        more = np.sort(np.concatenate([most[:0], *(k[places(most, k) < 0] for k in others)]))
        more = more[np.append(more[1:] != more[:-1], True)[: len(more)]]
        before = most.searchsorted(more)
        together = np.insert(most, before, more) if len(more) else most
        owned = np.ones((len(each), len(together)), dtype=np.bool_)
        for row, keys in zip(owned, each, strict=True):
            if keys is most:
                row[before + np.arange(len(more))] = False
            else:
                row[:] = False
                row[together.searchsorted(keys)] = True
        return Matcher(Fixed(together)), owned

    def longest_words(self, codes: Codes, ends: Ids, chosen: Ids) -> LongestWords:
        """The longest words of some of the lexicons at each character of some texts.

        Args:
            codes: the code points of texts that lie one after the other, `[length]`.
            ends: offset after the last character of each text, rising.
            chosen: the numbers of the lexicons that are asked for, `[lexicons]`.
        """
        view = np.zeros((3, len(chosen), len(codes)), dtype=np.int32)
        matcher, owned = self._words
        for number, (start, end, word) in enumerate(matcher.chunks(codes, ends)):
            low = number * matching.CHUNK
            part = view[:, :, low : low + matching.CHUNK + LONGEST]  # reaches into the next one
            # A row for each lexicon, laid one after the other
            here = np.zeros((3, part[0].size), dtype=np.int32)
            which, found = owned[chosen[:, None], word].nonzero()
            which *= part.shape[2]
            which += start[found] - low
            _write(here, which, (end - start)[found])
            np.maximum(part, here.reshape(part.shape), out=part)
        return LongestWords(*view)


def _write(view: NDArray[np.int32], start: Ids, length: Ids) -> None:
    """Note words at their characters.

    Args:
        view: where they begin, end and cross, `[3, characters]`; changed in place.
        start: where each begins, `[words]`; of those of one lexicon the longest come last.
        length: the number of its characters.
    """
    # Of values for one place the last one stays.
    size = np.minimum(length, LONG).astype(np.int32)
    begin, end, cross = view
    begin[start] = size
    inside = length - 1
    end[start + inside] = size
    for first in range(0, len(start), BLOCK):
        some = slice(first, first + BLOCK)
        counts = inside[some]
        past = counts.cumsum()
        within = np.arange(past[-1])
        within += (start[some] - past + counts).repeat(counts)
        cross[within] = size[some].repeat(counts)
