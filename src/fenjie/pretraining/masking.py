"""Hides whole words of a text, which an encoder then learns to predict.

Whole words as in Cui et al. (2021), Pre-training with whole word masking for Chinese BERT; they are
found here by the longest match in a lexicon, from left to right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon.matching import Finder
from fenjie.lexicon.word_pieces import SPECIAL
from fenjie.pretraining.packed_text import MASK

HIDDEN, OTHER = 0.8, 0.1
"""Shares of the chosen characters that are masked, and replaced by any other one; the rest stays as
it is (Devlin et al. 2019, 3.1)."""


class Masked(NamedTuple):
    """Rows of text of which some characters are hidden.

    Attributes:
        ids: `[rows, length]`, int64.
        places: the chosen places, counted row by row, rising, `[chosen]`.
        gold: the ids that stood there, `[chosen]`.
    """

    ids: NDArray[np.int64]
    places: NDArray[np.int64]
    gold: NDArray[np.int64]


class Masker:
    """Hides words of rows of text."""

    def __init__(self, codes: NDArray[np.uint32], finder: Finder | None, share: float) -> None:
        """Take what it needs.

        Args:
            codes: the code point of each id, 0 of the special ones, `[ids]`.
            finder: finds the words; without it each character is a word.
            share: of the characters that are chosen.
        """
        self._codes, self._finder, self._share = codes, finder, share

    def __call__(self, rows: NDArray[np.int64], random: np.random.Generator) -> Masked:
        """Choose words at random, and hide them.

        Args:
            rows: `[rows, length]`.
            random: where chance comes from.
        """
        ids = rows.ravel().copy()
        starts = self._words(ids, rows.shape[1])
        sizes = np.diff(starts, append=len(ids))
        choosable = np.flatnonzero(ids[starts] >= len(SPECIAL))
        order = random.permutation(choosable)
        wanted = max(1, round(self._share * sizes[choosable].sum()))
        chosen = order[: np.searchsorted(np.cumsum(sizes[order]), wanted) + 1]
        of_word = np.zeros(len(starts), dtype=np.bool_)
        of_word[chosen] = True
        (places,) = np.repeat(of_word, sizes).nonzero()
        gold = ids[places]
        chance = random.random(len(places))
        ids[places[chance < HIDDEN]] = MASK
        other = places[(chance >= HIDDEN) & (chance < HIDDEN + OTHER)]
        ids[other] = random.integers(len(SPECIAL), len(self._codes), len(other))
        return Masked(ids.reshape(rows.shape), places, gold)

    def _words(self, ids: NDArray[np.int64], length: int) -> NDArray[np.int64]:
        """Where words begin, counted over all rows: `[words]`."""
        longest = np.ones(len(ids), dtype=np.int64)
        if self._finder is None:
            return np.arange(len(ids))
        ends = np.arange(length, len(ids) + 1, length)
        found = self._finder.match_codes(self._codes[ids], ends)
        longest[found.start] = found.end - found.start  # sorted by length: the longest stays
        starts, place, sizes = [], 0, longest.tolist()
        while place < len(sizes):
            starts.append(place)
            place += sizes[place]
        return np.array(starts, dtype=np.int64)
