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

from fenjie.lexicon.keys import (
    LONGEST,
    LOWER,
    Codes,
    Keys,
    extend,
    key,
    length_of,
    slices,
)

Ids = NDArray[np.int64]

CHUNK = 4096
"""Characters matched at once: the hashes of all lengths fit in a cache."""

LOOKUPS = 8
"""The filter is made once a stretch was looked up for every eighth word."""

_BITS, _LEAST = 8, 10
"""The filter has this many bits a word, at least 2 to the power of `_LEAST` for each length."""


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
    """A set of keys that answers "no", or "perhaps": each has two bits, among those of its length.

    Most of a text is asked for the few words that are long, whose bits stay in the cache.

    Attributes:
        masks: the bits of a hash that count, for words of each length, `[LONGEST + 1]`.
        firsts: where the bits of each length begin, likewise.
        bits: a bit for each value that the hashes can have, packed.
    """

    masks: Keys
    firsts: Keys
    bits: NDArray[np.uint8]

    @classmethod
    def of(cls, keys: Keys) -> Filter:
        """The filter of some sorted keys."""
        counts = {length: part.stop - part.start for length, part in slices(keys).items()}
        bits = (_BITS * counts.get(length, 0) for length in range(LONGEST + 1))
        sizes = np.array([1 << max(_LEAST, count.bit_length()) for count in bits])
        firsts = np.cumsum(sizes) - sizes
        none = np.zeros(int(sizes.sum()) >> 3, dtype=np.uint8)
        empty = cls((sizes - 1).astype(np.uint64), firsts.astype(np.uint64), none)
        return empty.with_keys(keys)

    def with_keys(self, keys: Keys) -> Filter:
        """The filter of these keys and some more."""
        bits, length = self.bits.copy(), length_of(keys)
        for hashes in (keys, _second(keys)):
            place = self._places(hashes, length)
            np.bitwise_or.at(bits, place >> 3, _BIT[place & 7])
        return self._replace(bits=bits)

    def first(self, hashes: Keys, length: Ids) -> NDArray[np.bool_]:
        """Whether each hash has its first bit; `[hashes]`, and the length of each stretch."""
        return self._has(self._places(hashes, length))

    def second(self, keys: Keys) -> NDArray[np.bool_]:
        """Whether each key has its second bit, `[keys]`."""
        return self._has(self._places(_second(keys), length_of(keys)))

    def _places(self, hashes: Keys, length: Ids) -> Ids:
        place = hashes & self.masks[length]
        place += self.firsts[length]
        return place.view(np.int64)

    def _has(self, place: Ids) -> NDArray[np.bool_]:
        bits = self.bits.take(place >> 3)
        bits >>= (place & 7).astype(np.uint8)
        bits &= 1
        return bits.view(np.bool_)


_BIT = (1 << np.arange(8)).astype(np.uint8)
_HALF = np.array(32, dtype=np.uint64)


def _second(keys: Keys) -> Keys:
    """The hashes of the second bits: the upper halves."""
    return (keys & LOWER) >> _HALF


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
            sizes = ends.copy()
            sizes[1:] -= ends[:-1]
            left -= (length - ends).repeat(sizes)
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
        last, spare, done = np.zeros(size, dtype=np.uint64), np.empty(size, dtype=np.uint64), 0
        for length, row in zip(lengths.tolist(), hashes, strict=True):
            for offset in range(done, length):
                last = extend(last, codes[offset : offset + size], row, spare)
            done = length
        asked = left >= lengths[:, None]
        if (some := self._some(hashes.size)) is not None:
            asked &= some.first(hashes, lengths[:, None])
        which, start = asked.nonzero()
        keys = key(hashes[which, start], lengths[which])
        if some is not None:
            (likely,) = some.second(keys).nonzero()
            which, start, keys = which[likely], start[likely], keys[likely]
        sizes = lengths[which]
        word = self.find(keys)
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
