"""Finds all words of a lexicon in a text at once.

A chunk of text is hashed a length at a time: the hashes of all its stretches of one length come
from those of the stretches that are one character shorter. A filter, one bit for each hash of some
length, rejects most stretches that are no words; the others are looked up by binary search. There
is no loop over characters.

On jieba's words this is as fast as an Aho-Corasick automaton in Rust, and there is nothing to build
but the filter (2 ms): `benchmarks/lexicon.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon.keys import Codes, Keys, extend, key, slices

Ids = NDArray[np.int64]

CHUNK = 4096
"""So many characters are matched at once: the hashes of all lengths fit in a cache."""

_BITS, _LEAST = 16, 20
"""The filter has this many bits a word, at least 2 to the power of `_LEAST`."""


class Matches(NamedTuple):
    """Where words of a lexicon occur in a text, sorted by length, then by start.

    Attributes:
        start: offset of the first character, `[matches]`.
        end: offset behind the last one, `[matches]`.
        word: the number of the word in the lexicon, `[matches]`.
    """

    start: Ids
    end: Ids
    word: Ids


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


@dataclass(frozen=True)
class Matcher:
    """The words of a lexicon at one moment. It never changes.

    Attributes:
        keys: the keys of the fixed words, sorted; the number of a word is its place.
        added: the keys of words added at run time, sorted; none is among `keys`.
        added_ids: the number of each, `[added]`.
        removed: numbers of fixed words that are not to be found, sorted.
    """

    keys: Keys
    added: Keys
    added_ids: Ids
    removed: Ids

    @classmethod
    def of(cls, keys: Keys) -> Matcher:
        """The matcher of fixed words alone."""
        return cls(keys, np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int64))

    def changed(self, added: Keys, added_ids: Ids, removed: Ids) -> Matcher:
        """The same fixed words with other words added and removed."""
        order = np.argsort(added)
        matcher = replace(self, added=added[order], added_ids=added_ids[order], removed=removed)
        matcher.__dict__["_fixed_filter"] = self._fixed_filter
        return matcher

    def __len__(self) -> int:
        """The number of words."""
        return len(self.keys) - len(self.removed) + len(self.added)

    def find(self, keys: Keys) -> Ids:
        """The number of the word that has each key, -1 where there is none: `[keys]`."""
        ids = _places(self.keys, keys)
        if len(self.removed):
            ids[_places(self.removed, ids) >= 0] = -1
        if len(self.added):
            place = _places(self.added, keys)
            ids = np.where(place >= 0, self.added_ids[place], ids)
        return ids

    def match(self, codes: Codes, ends: Ids) -> Matches:
        """Every occurrence of every word in texts that lie one behind the other.

        Args:
            codes: the code points of the texts, `[length]`.
            ends: offset behind the last character of each text, rising, `[texts]`.
        """
        length = len(codes)
        longest = int(self._lengths.max(initial=0))
        room = np.repeat(ends, np.diff(ends, prepend=0)) - np.arange(length)
        wide = np.zeros(length + longest, dtype=np.uint64)
        wide[:length] = codes
        empty = np.empty(0, dtype=np.int64)
        chunks = [Matches(empty, empty, empty)]
        for first in range(0, length if longest else 0, CHUNK):
            start, size, word = self._chunk(wide[first:], room[first : first + CHUNK])
            chunks.append(Matches(start + first, start + first + size, word))
        start, end, word = (np.concatenate(part) for part in zip(*chunks, strict=True))
        if len(chunks) > 2:
            order = np.argsort((end - start).astype(np.uint8), kind="stable")
            return Matches(start[order], end[order], word[order])
        return Matches(start, end, word)

    def _chunk(self, codes: Keys, room: Ids) -> tuple[Ids, Ids, Ids]:
        """The matches that begin in a chunk.

        Args:
            codes: the code points of the chunk, and at least the longest word's length more.
            room: how many characters are left of its text from each on, `[chunk]`.

        Returns:
            Start, length and word of each match, sorted by length, then by start.
        """
        size = len(room)
        lengths = self._lengths[self._lengths <= room.max()]
        hashes = np.empty((len(lengths), size), dtype=np.uint64)
        last, row = np.zeros(size, dtype=np.uint64), 0
        for length in range(1, int(lengths.max(initial=0)) + 1):
            last = extend(last, codes[length - 1 : length - 1 + size])
            if length == lengths[row]:
                hashes[row] = last
                row += 1
        # [lengths, chunk]
        likely = self._filter(hashes)
        likely &= room >= lengths[:, None]
        rows, start = np.nonzero(likely)
        length = lengths[rows]
        word = self.find(key(hashes[rows, start], length))
        found = np.flatnonzero(word >= 0)
        return start[found], length[found], word[found]

    @cached_property
    def _fixed_filter(self) -> Filter:
        return Filter.of(self.keys)

    @cached_property
    def _filter(self) -> Filter:
        fixed = self._fixed_filter
        return fixed.with_keys(self.added) if len(self.added) else fixed

    @cached_property
    def _lengths(self) -> Ids:
        """The lengths that words have, rising."""
        return np.array(sorted({*slices(self.keys), *slices(self.added)}), dtype=np.int64)


def _places(where: NDArray[np.generic], values: NDArray[np.generic]) -> Ids:
    """The place of each value in a sorted array, -1 where it is not: `[values]`."""
    if not len(where):
        return np.full(len(values), -1, dtype=np.int64)
    place = np.searchsorted(where, values)
    np.minimum(place, len(where) - 1, out=place)
    return np.where(where[place] == values, place, -1)
