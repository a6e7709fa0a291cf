"""Words as 64-bit numbers: their length, then a hash of their characters.

The highest five bits of a key are the length of its word, so that sorted keys stand by length. The
hash is made a character at a time: that of a stretch of text comes from that of the stretch which
is one character shorter. Two different words of one length share a key with a probability of 2^-59.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, shorten
from fenjie.text.vocabulary import code_points

Codes = NDArray[np.uint32]
Keys = NDArray[np.uint64]

LONGEST = 31
"""A longer word has no key."""

BATCH = 1 << 16
"""The number of words of which tables are made at once."""

NO_KEY = 0
"""Stands for a word that has no key: it is empty or too long."""

# Arrays, as numpy takes 0.2 µs to make one of a number, and a short text is done in 80 µs.
_MULTIPLIER = np.array(0x9E3779B97F4A7C15, dtype=np.uint64)
_SHIFT = np.array(29, dtype=np.uint64)
_LENGTH = np.uint64(59)
LOWER = (np.uint64(1) << _LENGTH) - np.uint64(1)
"""The bits of a key that are those of the hash."""


def extend(
    hashes: Keys, codes: Codes | Keys, out: Keys | None = None, spare: Keys | None = None
) -> Keys:
    """The hashes of stretches that are one character longer; the hash of no character is 0.

    Args:
        hashes: those of the stretches.
        codes: the characters that follow.
        out: where they are put; None for a new array.
        spare: overwritten; None for a new array.
    """
    mixed: Keys = np.bitwise_xor(hashes, codes, out)
    np.multiply(mixed, _MULTIPLIER, mixed)
    np.bitwise_xor(mixed, np.right_shift(mixed, _SHIFT, spare), mixed)
    return mixed


def key(hashes: Keys, length: int | NDArray[np.int64]) -> Keys:
    """The keys of stretches: their length, then the lower bits of their hash."""
    return (hashes & LOWER) | (np.asarray(length).astype(np.uint64) << _LENGTH)


def length_of(keys: Keys) -> NDArray[np.int64]:
    """The lengths of the words that have these keys."""
    return (keys >> _LENGTH).view(np.int64)


def code_keys(codes: Codes) -> Keys:
    """The keys of words of one length, given by their code points: `[words, length]`, `[words]`."""
    hashes = np.zeros(len(codes), dtype=np.uint64)
    for column in codes.T:
        hashes = extend(hashes, column)
    return key(hashes, codes.shape[1])


def word_keys(words: Sequence[str]) -> Keys:
    """The keys of some words, `NO_KEY` for those that are empty or too long: `[words]`."""
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    return stretch_keys(code_points("".join(words)), np.cumsum(lengths) - lengths, lengths)


def code_tables(words: Iterable[str], shortest: int) -> Iterator[Codes]:
    """The code points of words, a table `[words, length]` for each length, rising.

    Args:
        words: those of other lengths than `shortest` to `LONGEST` are left out.
        shortest: the fewest characters of a word.

    Raises:
        FenjieError: one is no text.
    """
    parts: dict[int, list[Codes]] = {}
    rest = iter(words)
    while batch := list(islice(rest, BATCH)):
        groups: dict[int, list[str]] = {}
        for word in batch:
            if not isinstance(word, str):
                raise FenjieError(f"not a word; found {shorten(word)}, expected a text")
            if shortest <= len(word) <= LONGEST:
                groups.setdefault(len(word), []).append(word)
        for length, same in groups.items():
            table = code_points("".join(same)).reshape(-1, length)
            parts.setdefault(length, []).append(table)
    for length in sorted(parts):
        yield np.concatenate(parts.pop(length))


def stretch_keys(codes: Codes, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Keys:
    """The keys of stretches of a text, `NO_KEY` for those empty or too long: `[stretches]`.

    Args:
        codes: the code points of the text.
        starts: where each begins, `[stretches]`.
        lengths: the number of its characters.
    """
    keys = np.full(len(starts), NO_KEY, dtype=np.uint64)
    hashes = np.zeros(len(starts), dtype=np.uint64)
    for length in range(1, min(int(lengths.max(initial=0)), LONGEST) + 1):
        hashes = extend(hashes, codes.take(starts + (length - 1), mode="clip"))
        np.copyto(keys, key(hashes, length), where=lengths == length)
    return keys


def slices(keys: Keys) -> dict[int, slice]:
    """Where the keys of each length lie among sorted keys, for the lengths that there are."""
    firsts = np.arange(1, LONGEST + 1, dtype=np.uint64) << _LENGTH
    bounds = np.append(np.searchsorted(keys, firsts), len(keys)).tolist()
    return {
        length: slice(bounds[length - 1], bounds[length])
        for length in range(1, LONGEST + 1)
        if bounds[length - 1] < bounds[length]
    }


class SameLength(NamedTuple):
    """The words of one length among words that stand by length.

    Attributes:
        length: the number of their characters.
        ids: their numbers.
        where: where their code points are among those of all words.
    """

    length: int
    ids: range
    where: slice


def same_lengths(keys: Keys) -> Iterator[SameLength]:
    """The words of each length, rising, of sorted keys."""
    first = 0
    for length, part in slices(keys).items():
        ids = range(part.start, part.stop)
        last = first + length * len(ids)
        yield SameLength(length, ids, slice(first, last))
        first = last


def same_key(one: str, other: str) -> FenjieError:
    """The error of two words that share a key by chance."""
    return FenjieError(
        f"the words {shorten(one)} and {shorten(other)} have the same key by chance; "
        "leave out one of them"
    )
