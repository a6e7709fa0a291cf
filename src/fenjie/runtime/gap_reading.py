"""Some texts whose gaps a model scores, and the words that the scores, rules and the user make."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.decoding.gaps import settle, spans, starts_of_texts, where_asked
from fenjie.runtime.reading import Scorer
from fenjie.runtime.rows import SEPARATOR, Row
from fenjie.runtime.rules.unsplittable import find_unsplittable, may_hold_any
from fenjie.runtime.words.user_words import Matcher
from fenjie.text.span import Sentence

T = TypeVar("T", bound=np.generic)


class GapReading(ABC):
    """Some texts, to be cut into words as often as one likes.

    A subclass says how likely a word begins at each character that its model sees.
    """

    def __init__(self, row: Row, keep_unsplittable: bool, user: Matcher | None) -> None:
        """Take the texts.

        Args:
            row: the characters that the model sees.
            keep_unsplittable: whether `fenjie.runtime.rules.unsplittable` goes before the model.
            user: finds the user words; None where there are none.
        """
        self._row, self._user = row, user
        self._unsplittable = None
        if keep_unsplittable and may_hold_any(row.original):
            self._unsplittable = find_unsplittable(row.text, row.original)

    @abstractmethod
    def odds_seen(self, score: Scorer) -> NDArray[np.float32]:
        """The log-odds that a word begins at each character of the row: `[characters]`."""

    def starts(self, score: Scorer) -> Iterator[list[int]]:
        """The offsets of the words of each text; they tile it.

        A run of whitespace is a word, whatever the model says. User words go before the rules, and
        those before the model.
        """
        row = self._row
        odds = self.odds_seen(score)
        begins = self._in_texts(self.decided(odds), False)
        words = None if self._user is None else self._user.find_in(row, self._asked(odds))
        settle(begins, row.space, self._unsplittable, words)
        ends = np.append(row.starts[1:], len(row.original) + len(SEPARATOR)) - len(SEPARATOR)
        return starts_of_texts(begins, row.starts, ends)

    def log_odds(self, score: Scorer) -> list[NDArray[np.float32]]:
        """For each text the log-odds of its gaps, NaN where the model is not asked."""
        odds = self._asked(self.odds_seen(score))
        places = zip(self._row.starts.tolist(), self._row.texts, strict=True)
        return [odds[start : start + len(text)] for start, text in places]

    def sentences(self, score: Scorer) -> list[Sentence]:
        """The texts with their words."""
        return [
            Sentence(text, spans(starts, len(text)))
            for text, starts in zip(self._row.texts, self.starts(score), strict=True)
        ]

    def decided(self, odds: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Where words begin, before rules and user words: `[characters]`.

        Args:
            odds: as `odds_seen` gives them.
        """
        return odds > 0

    def _in_texts(self, values: NDArray[T], elsewhere: float) -> NDArray[T]:
        """Values of the characters that the model sees, as values of those of the texts.

        Where normalisation made several characters of one, the value of the first counts: no word
        begins inside of it.

        Args:
            values: of the characters that the model sees, `[characters]`.
            elsewhere: the value of those that it does not see, whitespace.

        Returns:
            Of the texts, joined by `SEPARATOR`, `[length]`.
        """
        row = self._row
        if row.is_plain:
            return values
        first = np.append(True, row.place[1:] != row.place[:-1])[: len(values)]
        result = np.full(len(row.original), elsewhere, dtype=values.dtype)
        result[row.place[first]] = values[first]
        return result

    def _asked(self, odds: NDArray[np.float32]) -> NDArray[np.float32]:
        """The log-odds in the texts, NaN where the model is not asked.

        They are infinite where a sentence begins, and inside of what was one character.
        """
        inside = None if self._unsplittable is None else self._unsplittable.inside
        return where_asked(self._in_texts(odds, -np.inf), self._row.space, inside)
