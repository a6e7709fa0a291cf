"""Search for words of any length in a text, all of them at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon import Lexicon
from fenjie.lexicon.keys import LONGEST
from fenjie.text.vocabulary import code_points

Offsets = NDArray[np.int64]


class Search:
    """Finds words of any length in a text. It never changes."""

    def __init__(self, words: Iterable[str]) -> None:
        """Prepare the search for some words."""
        words = list(words)
        self._single = np.unique(code_points("".join(word for word in words if len(word) == 1)))
        # Words too long for a lexicon are found by their beginning, then in a trie.
        self._lexicon = Lexicon.build(word[:LONGEST] for word in words)
        self._long = Blocks(word for word in words if len(word) >= LONGEST)

    def all(self, text: str, edges: NDArray[np.bool_]) -> tuple[Offsets, Offsets]:
        """Where words are in a text, over each other too; of very long ones the longest alone.

        Args:
            text: a text.
            edges: where a word may begin or end, `[length + 1]`.

        Returns:
            Where they start and end, `[words]` each.
        """
        start, end = self._matches(text)
        allowed = edges[start] & edges[end]
        if not self._long:
            return start[allowed], end[allowed]
        prefix = end - start == LONGEST
        short = allowed & ~prefix
        firsts = np.unique(start[prefix & edges[start]])
        lasts = [self._long.longest(text, first, edges) for first in firsts.tolist()]
        long = np.array(lasts, dtype=np.int64).reshape(-1)
        found = long > 0
        return np.append(start[short], firsts[found]), np.append(end[short], long[found])

    def longest(self, text: str, edges: NDArray[np.bool_]) -> tuple[Offsets, Offsets]:
        """Words that are not over each other: leftmost, then longest.

        Args:
            text: a text.
            edges: where a word may begin or end, `[length + 1]`.

        Returns:
            Where they start and end, `[words]` each, rising.
        """
        start, end = self._matches(text)
        allowed = edges[start] & edges[end]
        longest = np.zeros(len(text), dtype=np.int64)
        prefix = end - start == LONGEST
        short = allowed & ~prefix if self._long else allowed
        np.maximum.at(longest, start[short], end[short])
        long = set(start[prefix & edges[start]].tolist()) if self._long else set[int]()
        begins = np.flatnonzero(longest).tolist()
        chosen: list[tuple[int, int]] = []
        free = 0
        for first in sorted(long.union(begins)) if long else begins:
            if first < free:
                continue
            last = int(longest[first])
            if first in long:
                last = max(last, self._long.longest(text, first, edges))
            if last:
                chosen.append((first, last))
                free = last
        starts, ends = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
        return starts, ends

    def _matches(self, text: str) -> tuple[Offsets, Offsets]:
        """Every occurrence of every word, and of the first `LONGEST` characters of longer ones."""
        codes = code_points(text)
        start, end, _ = self._lexicon.match_codes(codes, np.array([len(codes)]))
        if len(self._single):
            single = np.flatnonzero(np.isin(codes, self._single))
            start, end = np.append(single, start), np.append(single + 1, end)
        return start, end


class Blocks:
    """A trie of long words, `LONGEST` characters a step: many words may begin alike."""

    def __init__(self, words: Iterable[str]) -> None:
        """Put words in.

        Args:
            words: each of at least `LONGEST` characters.
        """
        self._next: dict[str, Blocks] = {}
        self._tails: dict[int, set[str]] = {}
        for word in words:
            node = self
            for at in range(0, len(word) - LONGEST + 1, LONGEST):
                node = node._next.setdefault(word[at : at + LONGEST], Blocks(()))
            tail = word[len(word) // LONGEST * LONGEST :]
            node._tails.setdefault(len(tail), set()).add(tail)

    def __bool__(self) -> bool:
        """Whether there is any word."""
        return bool(self._next)

    def longest(self, text: str, first: int, edges: NDArray[np.bool_]) -> int:
        """Where the longest word ends that begins at a place and ends where it may; 0 for none."""
        node: Blocks | None = self
        at, found = first, 0
        while node is not None:
            for size, tails in node._tails.items():
                end = at + size
                if end > found and text[at:end] in tails and edges[end]:
                    found = end
            node, at = node._next.get(text[at : at + LONGEST]), at + LONGEST
        return found
