"""Mines words from raw text: stretches that hold together and stand in many surroundings.

A stretch of Chinese characters is taken for a word where

- it is frequent;
- its parts meet far more often than by chance: the pointwise mutual information of the two parts,
  at the place where it is least (Church and Hanks 1990; over all places, as Luo and Sun 2003);
- many characters stand before it and many after it: the entropy of both neighbours (Huang and
  Powers 2003), so that the end of a longer word is none;
- no single neighbour stands beside most of its occurrences, or it is a part of a longer word.

Stretches of all lengths are counted by sorting their keys, a length at a time; only where the
stretches one character shorter are frequent can a longer one be. 100 million characters take about
3 GB of memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon.keys import Codes, Keys, code_keys, extend, key
from fenjie.lexicon.matching import places
from fenjie.text.vocabulary import code_points, text_of

LONGEST = 10
"""Characters of the longest word."""

COHESION = 3.5
"""The least pointwise mutual information of two parts, in nats."""

VARIETY = 1.5
"""The least entropy of the neighbours on either side, in nats."""

SHARE = 0.5
"""The largest share of the occurrences that one neighbour may have."""

Ids = NDArray[np.int64]
Numbers = NDArray[np.float64]


class Mined(NamedTuple):
    """A word and the reasons for it.

    Attributes:
        word: the word.
        times: number of its occurrences.
        cohesion: the least pointwise mutual information of two parts, in nats.
        variety: the entropy of the neighbours, on the side where it is less, in nats.
    """

    word: str
    times: int
    cohesion: float
    variety: float


class _Frequent(NamedTuple):
    """The frequent stretches of one length, sorted by their keys.

    Attributes:
        keys: their keys, `[stretches]`.
        times: number of occurrences of each, `[stretches]`.
        positions: where they begin, one stretch after the other, `[occurrences]`.
    """

    keys: Keys
    times: Ids
    positions: Ids

    @property
    def first(self) -> Ids:
        """One occurrence of each stretch, `[stretches]`."""
        first: Ids = self.positions[np.cumsum(self.times) - self.times]
        return first


def mine(text: str, minimum: int) -> Iterator[Mined]:
    """The words of a text, by length.

    Args:
        text: the text; no word reaches over a line end, nor over any other character that is not
            Chinese.
        minimum: the least number of occurrences.
    """
    codes = _chinese(code_points(text))
    total = int(np.count_nonzero(codes))
    known: dict[int, _Frequent] = {}
    for length, found in _frequent(codes, minimum):
        known[length] = found
        if length > 1:
            yield from _words(codes, length, known, total)
        known[length] = found._replace(positions=found.positions[:0])


def _words(codes: Codes, length: int, known: dict[int, _Frequent], total: int) -> Iterator[Mined]:
    """The words among the frequent stretches of one length."""
    found = known[length]
    rows = codes[found.first[:, None] + np.arange(length)]
    cohesion = _cohesion(rows, found.times, known, total)
    # Of a run of one character, any part is as good a word as the whole.
    fine = (cohesion >= COHESION) & (rows != rows[:, :1]).any(axis=1)
    inside = np.repeat(fine, found.times)
    counts, positions = found.times[fine], found.positions[inside]
    before, most_before = _neighbours(counts, codes[positions - 1])
    after, most_after = _neighbours(counts, codes[positions + length])
    variety, most = np.minimum(before, after), np.maximum(most_before, most_after)
    good = (variety >= VARIETY) & (most <= SHARE)
    words = text_of(rows[fine][good])
    for place, (count, held, varied) in enumerate(
        zip(
            counts[good].tolist(),
            cohesion[fine][good].tolist(),
            variety[good].tolist(),
            strict=True,
        )
    ):
        yield Mined(words[place * length : (place + 1) * length], count, held, varied)


def _chinese(codes: Codes) -> Codes:
    """The code points, 0 in place of those that are no Chinese characters, and 0 at both ends."""
    chinese = ((codes >= 0x4E00) & (codes <= 0x9FFF)) | ((codes >= 0x3400) & (codes <= 0x4DBF))
    return np.pad(np.where(chinese, codes, 0), 1).astype(np.uint32)


def _frequent(codes: Codes, minimum: int) -> Iterator[tuple[int, _Frequent]]:
    """The frequent stretches of each length, the shortest first."""
    positions = np.flatnonzero(codes)
    hashes = np.zeros(len(positions), dtype=np.uint64)
    begins = np.empty(len(codes), dtype=np.bool_)
    for length in range(1, LONGEST + 1):
        hashes = extend(hashes, codes[positions + (length - 1)], hashes)
        order = np.argsort(hashes)
        ordered = hashes[order]
        edges = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        counts = np.diff(edges, append=len(ordered))
        some = counts >= minimum
        order = order[np.repeat(some, counts)]
        # The highest bits of a key are the length, so that its order is not that of the hashes.
        keys = key(ordered[edges[some]], length)
        by_key = np.argsort(keys)
        found = _by(by_key, counts[some], positions[order])
        yield length, _Frequent(keys[by_key], *found)
        # A longer stretch begins where this one is frequent, and the one a character later too.
        begins[:] = False
        begins[positions[order]] = True
        on = begins[positions] & (codes[positions + length] != 0)
        on &= begins[np.minimum(positions + 1, len(codes) - 1)]
        positions, hashes = positions[on], hashes[on]
        if not len(positions):
            return


def _by(order: Ids, counts: Ids, positions: Ids) -> tuple[Ids, Ids]:
    """Groups of positions in another order: their sizes, and the positions."""
    starts = np.cumsum(counts) - counts
    sizes = counts[order]
    shift = np.repeat(starts[order] - (np.cumsum(sizes) - sizes), sizes)
    return sizes, positions[np.arange(len(positions)) + shift]


def _cohesion(rows: Codes, counts: Ids, known: dict[int, _Frequent], total: int) -> Numbers:
    """The least pointwise mutual information of two parts of each stretch, `[stretches]`."""
    length = rows.shape[1]
    least = np.full(len(rows), np.inf)
    for split in range(1, length):
        parts = np.ones(len(rows))
        for part in (rows[:, :split], rows[:, split:]):
            table = known[part.shape[1]]
            parts *= table.times[places(table.keys, code_keys(part))]
        np.minimum(least, np.log(counts * total / parts), out=least)
    return least


def _neighbours(counts: Ids, neighbours: Codes) -> tuple[Numbers, Numbers]:
    """The entropy of the neighbours of each stretch, and the share of the most frequent one.

    An end of a line or a punctuation mark, 0, is another neighbour each time.

    Args:
        counts: number of occurrences of each stretch, `[stretches]`.
        neighbours: the neighbour of each occurrence, `[occurrences]`.
    """
    group = np.repeat(np.arange(len(counts), dtype=np.uint64), counts)
    ends = np.bincount(group[neighbours == 0].astype(np.int64), minlength=len(counts))
    pairs = ((group << np.uint64(32)) | neighbours)[neighbours != 0]
    pairs.sort()
    edges = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
    seen = np.diff(edges, append=len(pairs))
    of = (pairs[edges] >> np.uint64(32)).astype(np.int64)
    share = seen / counts[of]
    entropy = np.bincount(of, -share * np.log(share), minlength=len(counts))
    most = np.zeros(len(counts))
    np.maximum.at(most, of, share)
    return entropy + ends / counts * np.log(counts), most
