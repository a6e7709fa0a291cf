"""A set of words that finds all its occurrences in a text at once.

A lexicon holds one 64-bit number for each word, sorted; its file is that array, opened by
memory-mapping. A text is matched a word length at a time: the numbers of all its stretches of
that length are computed in one sweep from those of the length before, and looked up together.
There is no loop over characters. Two different words share a number with a probability of 2^-59
for each pair: with a million words, about two false matches in 1,000 texts of a billion characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FileError
from fenjie.files import atomic
from fenjie.text.vocabulary import code_points

Codes = NDArray[np.uint32]
Keys = NDArray[np.uint64]

SHORTEST, LONGEST = 2, 31
"""Words of other lengths, in characters, are left out of a lexicon."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_LENGTH = np.uint64(59)
"""The highest five bits of a key are the length of its word."""


class Matches(NamedTuple):
    """Where words of a lexicon occur in a text, sorted by length, then by start.

    Attributes:
        start: offset of the first character, `[matches]`.
        end: offset behind the last one, `[matches]`.
        word: the number of the word in the lexicon, from 0, `[matches]`.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    word: NDArray[np.int64]


class Lexicon:
    """A set of words of two and more characters."""

    def __init__(self, keys: Keys) -> None:
        """Take the sorted keys of the words; `build` and `open` make them."""
        self._keys = keys
        lengths = np.unique(np.asarray(keys) >> _LENGTH)
        self._slices = {
            int(length): slice(*np.searchsorted(keys, _bounds(int(length)))) for length in lengths
        }

    @classmethod
    def build(cls, words: Iterable[str]) -> Lexicon:
        """The lexicon of some words; those outside of 2 to 31 characters are left out."""
        by_length: dict[int, list[str]] = {}
        for word in words:
            if SHORTEST <= len(word) <= LONGEST:
                by_length.setdefault(len(word), []).append(word)
        keys = [_keys_of(same, length) for length, same in by_length.items()]
        return cls(np.unique(np.concatenate(keys)) if keys else np.empty(0, np.uint64))

    def __len__(self) -> int:
        """The number of words."""
        return len(self._keys)

    def __contains__(self, word: str) -> bool:
        """Whether a word is in the lexicon."""
        return len(self.match(word, only=len(word)).start) > 0

    def match(self, text: str, only: int | None = None) -> Matches:
        """Every occurrence of every word in a text.

        Args:
            text: the text.
            only: look for words of this length alone.
        """
        codes = code_points(text)
        return self.match_codes(codes, np.array([len(codes)]), only)

    def match_codes(
        self, codes: Codes, ends: NDArray[np.int64], only: int | None = None
    ) -> Matches:
        """`match` for many texts that lie one behind the other.

        Args:
            codes: the code points of the texts, `[length]`.
            ends: offset behind the last character of each text, rising, `[texts]`.
            only: look for words of this length alone.
        """
        room = np.repeat(ends, np.diff(ends, prepend=0)) - np.arange(len(codes))
        starts, stops, words = [], [], []
        hashes = np.zeros(len(codes), dtype=np.uint64)
        for length in range(1, max(self._slices, default=0) + 1):
            if length > len(codes):
                break
            hashes = _extend(hashes[: len(codes) - length + 1], codes[length - 1 :])
            if length not in self._slices or only not in (None, length):
                continue
            start = np.flatnonzero(room[: len(hashes)] >= length)
            found, word = self._find(_key(hashes[start], length), self._slices[length])
            starts.append(start[found])
            stops.append(start[found] + length)
            words.append(word)
        empty = np.empty(0, dtype=np.int64)
        return Matches(*(np.concatenate([empty, *part]) for part in (starts, stops, words)))

    def _find(self, keys: Keys, where: slice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of some keys are words of one length, and the number of the word of each."""
        known = self._keys[where]
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        found = np.flatnonzero(known[place] == keys)
        return found, place[found] + where.start

    def save(self, path: str | PathLike[str]) -> None:
        """Write the lexicon to one file.

        Raises:
            FileError: the file cannot be written.
        """
        with atomic(path) as made, made.open("wb") as file:
            np.save(file, self._keys, allow_pickle=False)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Lexicon:
        """Open a saved lexicon by memory-mapping; processes share it.

        Raises:
            FileError: the file is missing or is no lexicon.
        """
        try:
            keys = np.load(Path(path), mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise FileError(path, f"cannot be opened as a lexicon: {error}") from error
        if keys.dtype != np.uint64 or keys.ndim != 1:
            raise FileError(path, "is no lexicon", found=f"{keys.dtype} {keys.shape}")
        return cls(keys)


def _extend(hashes: Keys, codes: Codes) -> Keys:
    """The hashes of stretches that are one character longer."""
    mixed = (hashes ^ codes) * _MULTIPLIER
    return mixed ^ (mixed >> _SHIFT)


def _key(hashes: Keys, length: int) -> Keys:
    """The keys of stretches: their length, then the lower bits of their hash."""
    return (hashes & ((np.uint64(1) << _LENGTH) - np.uint64(1))) | (np.uint64(length) << _LENGTH)


def _bounds(length: int) -> Keys:
    """The least key of a length, and the one behind its greatest."""
    last = np.uint64(2**64 - 1)
    above = np.uint64(length + 1) << _LENGTH if length < LONGEST else last
    return np.array([np.uint64(length) << _LENGTH, above])


def _keys_of(words: list[str], length: int) -> Keys:
    """The keys of words of one length."""
    codes = code_points("".join(words)).reshape(-1, length)
    hashes = np.zeros(len(words), dtype=np.uint64)
    for column in codes.T:
        hashes = _extend(hashes, column)
    return _key(hashes, length)
