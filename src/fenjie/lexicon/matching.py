"""Finds all words of a lexicon in a text at once.

A chunk of text is hashed a length at a time: the hashes of all its stretches of one length come
from those of the stretches that are one character shorter. A filter, one bit for each hash of some
length, rejects most stretches that are no words; the others are looked up by binary search. There
is no loop over characters.

`benchmarks/lexicon.py` sets this beside tries and automata: they are faster on single lines, this
on batches of lines, and nothing has to be built when a lexicon is opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon.keys import Codes, Keys, extend, key, slices

Ids = NDArray[np.int64]

CHUNK = 4096
"""Characters matched at once: the hashes of all lengths fit in a cache."""

LOOKUPS = 8
"""The filter is made once a stretch was looked up for every eighth word."""

_BITS, _LEAST = 16, 20
"""The filter has this many bits a word, at least 2 to the power of `_LEAST`."""


class Matches(NamedTuple):
    """Where words of a lexicon occur in a text, sorted by length, then by start.

    Attributes:
        start: offset of the first character, `[matches]`.
        end: offset after the last one, `[matches]`.
        word: the number of the word in the lexicon, `[matches]`.
    """

    start: Ids
    end: Ids
    word: Ids


class Finder(Protocol):
    """Finds words: a `Lexicon`, or `fenjie.lexicon.word_vectors.EveryWord`."""

    def match(self, text: str) -> Matches:
        """Every occurrence of every word in a text."""

    def match_codes(self, codes: Codes, ends: Ids) -> Matches:
        """`match` for many texts that lie one after the other; see `Lexicon.match_codes`."""


class Filter(NamedTuple):
    """A set of hashes that answers "no", or "perhaps".

    Attributes:
        mask: the bits of a hash that count.
        bits: a bit for each value that they can have, packed.
    """

    mask: np.uint64
    bits: NDArray[np.uint8]

    @classmethod
    def of(cls, keys: Keys) -> Filter:
        """The filter of some keys."""
        size = 1 << max(_LEAST, int(_BITS * len(keys)).bit_length())
        mask = np.uint64(size - 1)
        bits = np.zeros(size, dtype=np.bool_)
        bits[(np.asarray(keys) & mask).view(np.int64)] = True
        return cls(mask, np.packbits(bits, bitorder="little"))

    def with_keys(self, keys: Keys) -> Filter:
        """The filter of these keys and some more."""
        slot = (keys & self.mask).view(np.int64)
        bits = self.bits.copy()
        np.bitwise_or.at(bits, slot >> 3, _BIT[slot & 7])
        return Filter(self.mask, bits)

    def __call__(self, hashes: Keys) -> NDArray[np.bool_]:
        """Whether each hash may be one of the set, in the shape of `hashes`."""
        slot = (hashes & self.mask).view(np.int64)
        bits = self.bits.take(slot >> 3)
        bits >>= (slot & 7).astype(np.uint8)
        bits &= 1
        return bits.view(np.bool_)


_BIT = (1 << np.arange(8)).astype(np.uint8)


class Fixed:
    """The words that a lexicon was made with.

    The filter is made when enough was looked up that it pays, so that a lexicon of any size begins
    at once.
    """

    def __init__(self, keys: Keys) -> None:
        """Take the sorted keys of the words; the number of a word is its place."""
        self.keys = keys
        self.lengths = slices(keys).keys()
        self._filter: Filter | None = None
        self._credit = len(keys) // LOOKUPS

    def filter(self, lookups: int) -> Filter | None:
        """The filter, if there is one by now.

        Args:
            lookups: the number of stretches it is for.
        """
        if self._filter is None:
            self._credit -= lookups
            if self._credit < 0:
                self._filter = Filter.of(self.keys)
        return self._filter


class Matcher:
    """The words of a lexicon at one moment.

    Attributes:
        fixed: the words that it was made with.
        added: the keys of words added at run time, sorted; none is among those of `fixed`.
        added_ids: the number of each, `[added]`.
        removed: numbers of fixed words that are not to be found, sorted.
    """

    def __init__(
        self,
        fixed: Fixed,
        added: Keys | None = None,
        added_ids: Ids | None = None,
        removed: Ids | None = None,
    ) -> None:
        """Put the words together; those added need not be sorted."""
        self.fixed = fixed
        none = np.empty(0, dtype=np.int64)
        added = none.astype(np.uint64) if added is None else added
        order = np.argsort(added)
        self.added = added[order]
        self.added_ids = none if added_ids is None else added_ids[order]
        self.removed = none if removed is None else removed
        lengths = sorted({*fixed.lengths, *slices(self.added)})
        self._lengths = np.array(lengths, dtype=np.int64)
        self._longest = max(lengths, default=0)
        self._filter: Filter | None = None

    def __len__(self) -> int:
        """The number of words."""
        return len(self.fixed.keys) - len(self.removed) + len(self.added)

    def find(self, keys: Keys) -> Ids:
        """The number of the word that has each key, -1 where there is none: `[keys]`."""
        ids = places(self.fixed.keys, keys)
        if len(self.removed):
            ids[places(self.removed, ids) >= 0] = -1
        if len(self.added):
            place = places(self.added, keys)
            ids = np.where(place >= 0, self.added_ids[place], ids)
        return ids

    def match(self, codes: Codes, ends: Ids) -> Matches:
        """Every occurrence of every word in texts that lie one after the other.

        Args:
            codes: the code points of the texts, `[length]`.
            ends: offset after the last character of each text, rising, `[texts]`.
        """
        chunks = list(self.chunks(codes, ends))
        if len(chunks) == 1:
            return chunks[0]
        if not chunks:
            return Matches(*np.empty((3, 0), dtype=np.int64))
        start, end, word = (np.concatenate(part) for part in zip(*chunks, strict=True))
        order = np.argsort((end - start).astype(np.uint8), kind="stable")
        return Matches(start[order], end[order], word[order])

    def chunks(self, codes: Codes, ends: Ids) -> Iterator[Matches]:
        """What `match` gives, some at a time: the words that begin in one chunk, then in the next.

        Args:
            codes: the code points of the texts, `[length]`.
            ends: offset after the last character of each text, rising, `[texts]`.
        """
        length = len(codes)
        if not length or not self._longest:
            return
        left = np.arange(length, 0, -1)
        if len(ends) > 1:
            left -= length - np.repeat(ends, np.diff(ends, prepend=0))
        wide = np.zeros(length + self._longest, dtype=np.uint64)
        wide[:length] = codes
        for first in range(0, length, CHUNK):
            yield self._chunk(wide[first:], left[first : first + CHUNK], first)

    def _chunk(self, codes: Keys, left: Ids, first: int) -> Matches:
        """The matches that begin in a chunk, sorted by length, then by start.

        Args:
            codes: the code points of the chunk, and at least the longest word's length more.
            left: the number of characters that are left of its text from each on, `[chunk]`.
            first: the offset of the chunk.
        """
        size = len(left)
        lengths = self._lengths[: self._lengths.searchsorted(left.max(), side="right")]
        # [lengths, chunk]
        hashes = np.empty((len(lengths), size), dtype=np.uint64)
        last, done = np.zeros(size, dtype=np.uint64), 0
        for length, row in zip(lengths.tolist(), hashes, strict=True):
            for offset in range(done, length):
                last = extend(last, codes[offset : offset + size], row)
            done = length
        likely = left >= lengths[:, None]
        if (some := self._some(hashes.size)) is not None:
            likely &= some(hashes)
        which, start = np.nonzero(likely)
        sizes = lengths[which]
        word = self.find(key(hashes[which, start], sizes))
        (found,) = (word >= 0).nonzero()
        start = start[found] + first
        return Matches(start, start + sizes[found], word[found])

    def _some(self, lookups: int) -> Filter | None:
        """The filter of all words, if there is one by now."""
        if self._filter is None and (fixed := self.fixed.filter(lookups)) is not None:
            self._filter = fixed.with_keys(self.added) if len(self.added) else fixed
        return self._filter


def places(where: NDArray[np.generic], values: NDArray[np.generic]) -> Ids:
    """The place of each value in a sorted array, -1 where it is not: `[values]`."""
    if not len(where):
        return np.full(len(values), -1, dtype=np.int64)
    place = where.searchsorted(values)
    np.minimum(place, len(where) - 1, out=place)
    place[where[place] != values] = -1
    return place
