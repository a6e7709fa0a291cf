"""From texts to sentences whose gaps a model scores, and from the scores to words.

PyTorch and ONNX Runtime score the same batches and share all the rest, so that they find the same
words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon.indexer import Indexer
from fenjie.runtime.batching import Limits
from fenjie.runtime.decoding.gaps import (
    force_words,
    log_odds,
    spans,
    split_at_whitespace,
    starts_of_texts,
    where_asked,
)
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.reading import Reader, Scorer
from fenjie.runtime.rows import SEPARATOR
from fenjie.runtime.rules.unsplittable import find_unsplittable, may_hold_any
from fenjie.runtime.words.user_words import Matcher
from fenjie.text.normalise import Normaliser
from fenjie.text.span import Sentence
from fenjie.text.split import sentences

LIMITS = Limits(window=256, overlap=64, first=1, characters=1024, padding=50)
"""Measured with ONNX Runtime on one thread."""


class SentenceReader:
    """Turns texts into sentences. It never changes, and may serve several threads."""

    def __init__(
        self,
        normaliser: Normaliser,
        indexer: Indexer,
        keep_unsplittable: bool = True,
        limits: Limits = LIMITS,
    ) -> None:
        """Take what a model reads with.

        Args:
            normaliser: makes the text that the model sees.
            indexer: gives the ids of characters.
            keep_unsplittable: whether `fenjie.runtime.rules.unsplittable` goes before the model.
            limits: the size of windows and batches.
        """
        self._reader = Reader(normaliser, indexer, sentences, limits)
        self._keep_unsplittable = keep_unsplittable

    @classmethod
    def of(
        cls, folder: ModelFolder, limits: Limits = LIMITS, standard: str | None = None
    ) -> SentenceReader:
        """The reader of a model folder, for one of its standards; None for its default."""
        indexer = folder.indexer.of(standard)
        return cls(folder.normaliser, indexer, folder.keeps_unsplittable, limits)

    def read(self, texts: Sequence[str], user: Matcher | None = None) -> SentenceReading:
        """Normalise, cut and index some texts, all at once.

        Args:
            texts: the texts.
            user: finds the user words; None where there are none.
        """
        return SentenceReading(self._reader, texts, self._keep_unsplittable, user)


class SentenceReading:
    """Some texts as sentences, to be scored as often as one likes."""

    def __init__(
        self, reader: Reader, texts: Sequence[str], keep_unsplittable: bool, user: Matcher | None
    ) -> None:
        """Read the texts; see `SentenceReader`."""
        self._row, self._edges = reader.row(texts)
        self._view = reader.view(self._row, self._edges)
        self._unsplittable = None
        if keep_unsplittable and may_hold_any(self._row.original):
            self._unsplittable = find_unsplittable(self._row.text, self._row.original)
        self._user = user

    def starts(self, score: Scorer) -> Iterator[list[int]]:
        """The offsets of the words of each text; they tile it.

        A run of whitespace is a word, whatever the model says. User words go before the rules, and
        those before the model.
        """
        row = self._row
        odds = self.odds(score)
        begins = odds > 0
        if self._unsplittable is not None:
            begins = (begins | self._unsplittable.edge) & ~self._unsplittable.inside
        if self._user is not None:
            words = self._user.find_in(row, self._asked(odds))
            force_words(begins, words.start, words.end)
        split_at_whitespace(begins, row.space)
        ends = np.append(row.starts[1:], len(row.original) + len(SEPARATOR)) - len(SEPARATOR)
        return starts_of_texts(begins, row.starts, ends)

    def log_odds(self, score: Scorer) -> list[NDArray[np.float32]]:
        """For each text the log-odds of its gaps, NaN where the model is not asked."""
        odds = self._asked(self.odds(score))
        places = zip(self._row.starts.tolist(), self._row.texts, strict=True)
        return [odds[start : start + len(text)] for start, text in places]

    def sentences(self, score: Scorer) -> list[Sentence]:
        """The texts with their words."""
        return [
            Sentence(text, spans(starts, len(text)))
            for text, starts in zip(self._row.texts, self.starts(score), strict=True)
        ]

    def _asked(self, odds: NDArray[np.float32]) -> NDArray[np.float32]:
        inside = None if self._unsplittable is None else self._unsplittable.inside
        return where_asked(odds, self._row.space, inside)

    def odds(self, score: Scorer) -> NDArray[np.float32]:
        """The log-odds, by the model alone, that a word begins at each character.

        They are infinite where a sentence begins, and inside of what was one character.

        Returns:
            `[length]` of the texts, joined by `SEPARATOR`.
        """
        row, view = self._row, self._view.windows
        odds = np.full(len(row.codes), -np.inf, dtype=np.float32)
        odds[self._edges[:-1]] = np.inf
        for batch in self._view.batches():
            found = log_odds(score(batch))
            if len(batch.windows) == 1:
                (window,) = batch.windows.tolist()
                low, high = int(view.low[window]), int(view.high[window])
                after = int(view.start[window]) + 1
                odds[low:high] = found[0, low - after : high - after]
                continue
            # The score of a gap is that of the position after it.
            position = view.start[batch.windows, None] + np.arange(1, found.shape[1] + 1)
            decided = position >= view.low[batch.windows, None]
            decided &= position < view.high[batch.windows, None]
            odds[position[decided]] = found[decided]
        if row.is_plain:
            return odds
        # Inside of what was one character in the text no word begins.
        first = np.append(True, row.place[1:] != row.place[:-1])[: len(odds)]
        result = np.full(len(row.original), -np.inf, dtype=np.float32)
        result[row.place[first]] = odds[first]
        return result
