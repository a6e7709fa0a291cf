"""How many words a lexicon finds in texts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

import numpy as np

from fenjie.lexicon.matching import Finder
from fenjie.text.vocabulary import code_points

TEXTS = 256
"""Number of texts that are matched at once."""


class Statistics(NamedTuple):
    """Counts of the words that a lexicon finds in texts, such as sentences.

    Attributes:
        texts: the number of texts.
        characters: characters a text, on average.
        words: words found a text, on average.
        most: the most words found in one text.
    """

    texts: int
    characters: float
    words: float
    most: int


def count_words(finder: Finder, texts: Iterable[str]) -> Statistics:
    """Count the words that are found in texts."""
    counted, characters, words, most = 0, 0, 0, 0
    rest = iter(texts)
    while batch := list(islice(rest, TEXTS)):
        ends = np.cumsum([len(text) for text in batch])
        start, _, _ = finder.match_codes(code_points("".join(batch)), ends)
        found = np.bincount(np.searchsorted(ends, start, side="right"), minlength=1)
        counted += len(batch)
        characters += int(ends[-1])
        words += len(start)
        most = max(most, int(found.max()))
    return Statistics(counted, characters / max(counted, 1), words / max(counted, 1), most)
