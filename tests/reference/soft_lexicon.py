"""SoftLexicon's sets of words as Ma et al. (2020) write them: one character, set, word at a time.

It shares no code with `fenjie.nn`.
"""

from __future__ import annotations

import torch
from torch import Tensor

Word = tuple[int, int, Tensor, float]
"""A word: its first and last character, its vector, and how often it was seen."""


def word_sets(length: int, words: list[Word]) -> list[list[list[Word]]]:
    """The sets B, M, E and S of each character."""
    return [
        [
            [word for word in words if word[0] == i < word[1]],
            [word for word in words if word[0] < i < word[1]],
            [word for word in words if word[0] < i == word[1]],
            [word for word in words if word[0] == i == word[1]],
        ]
        for i in range(length)
    ]


def pooled(length: int, words: list[Word], none: Tensor) -> Tensor:
    """The sets' vectors side by side, `[length, 4 * dim]`; the word NONE is in empty sets."""
    rows = []
    for sets in word_sets(length, words):
        filled = [chosen or [(0, 0, none, 1.0)] for chosen in sets]
        # Z is over all four sets.
        z = sum(word[3] for chosen in filled for word in chosen)
        vectors = []
        for chosen in filled:
            vector = torch.zeros_like(none)
            for _, _, of_word, count in chosen:
                vector = vector + 4 / z * count * of_word
            vectors.append(vector)
        rows.append(torch.cat(vectors))
    return torch.stack(rows)
