"""From texts to words by a linear model, all texts of a call in one row of characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.decoding.gaps import settle, starts_of_texts, where_asked
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.linear import LEAD, SPACE, TAIL, LinearGaps, Scores
from fenjie.runtime.rows import Row
from fenjie.runtime.rules.unsplittable import Unsplittable, find_unsplittable, may_hold_any
from fenjie.runtime.words.user_words import Matcher
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import code_points

SEPARATOR = "\n" * max(LEAD - 1, TAIL)
"""Stands between texts; no gap sees across it."""

TOGETHER = 1 << 12
"""Characters of short texts that are read at once, about: what is known of them stays in the cache,
and numpy's calls are few for each."""


class LinearReader:
    """Finds the words of texts. It never changes, and may serve several threads."""

    def __init__(
        self, model: LinearGaps, normaliser: Normaliser, keep_unsplittable: bool = True
    ) -> None:
        """Take a model.

        Args:
            model: the model.
            normaliser: how user words are read.
            keep_unsplittable: whether `fenjie.runtime.rules.unsplittable` goes before the model.
        """
        self._model, self._normaliser = model, normaliser
        self._keep_unsplittable = keep_unsplittable

    @classmethod
    def of(cls, folder: ModelFolder) -> LinearReader:
        """The reader of a model folder."""
        return cls(folder.linear, folder.normaliser, folder.keeps_unsplittable)

    def log_odds(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """For each text the log-odds of its gaps, NaN where the model is not asked."""
        text = SEPARATOR.join(texts)
        numbers = self._model.numbers(text)
        space = numbers[LEAD:-TAIL] == SPACE
        odds = self._odds(self._model.scores(numbers), space, self._unsplittable(text))
        starts, ends = _bounds(texts)
        return [odds[low:high] for low, high in zip(starts.tolist(), ends.tolist(), strict=True)]

    def starts(self, texts: Sequence[str], user: Matcher | None = None) -> Iterator[list[int]]:
        """The offsets of the words of each text; they tile it.

        A run of whitespace is a word; to the model it is the edge of a text. User words go before
        the rules, and those before the model.

        Args:
            texts: the texts.
            user: finds the user words; None where there are none.
        """
        text = SEPARATOR.join(texts)
        numbers = self._model.numbers(text)
        scores = self._model.scores(numbers)
        begins = scores > 0
        space, rules, words = numbers[LEAD:-TAIL] == SPACE, self._unsplittable(text), None
        if user is not None:
            odds = self._odds(scores, space, rules)
            words = user.find_in(Row([text], self._normaliser), odds)
        settle(begins, space, rules, words)
        return starts_of_texts(begins, *_bounds(texts))

    def _odds(
        self, scores: Scores, space: NDArray[np.bool_], found: Unsplittable | None
    ) -> NDArray[np.float32]:
        odds = scores.astype(np.float32) * np.float32(self._model.unit)
        return where_asked(odds, space, None if found is None else found.inside)

    def _unsplittable(self, text: str) -> Unsplittable | None:
        if not self._keep_unsplittable:
            return None
        codes = code_points(text)
        return find_unsplittable(text, codes) if may_hold_any(codes) else None


def _bounds(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each text starts and ends among those joined by `SEPARATOR`."""
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    starts = np.cumsum(sizes + len(SEPARATOR)) - sizes - len(SEPARATOR)
    return starts, starts + sizes
