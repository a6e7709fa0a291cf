"""From texts to sentences whose gaps a model scores, and from the scores to words.

PyTorch and ONNX Runtime score the same batches and share all the rest, so that they find the same
words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon.indexer import Indexer
from fenjie.runtime.batching import Limits
from fenjie.runtime.decoding.doubtful import in_doubt, prefer_known
from fenjie.runtime.decoding.gaps import log_odds
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.gap_reading import GapReading
from fenjie.runtime.reading import Reader, Scorer
from fenjie.runtime.words.user_words import Matcher
from fenjie.text.normalise import Normaliser
from fenjie.text.split import sentences

LIMITS = Limits(window=128, overlap=32, first=1, characters=1024, padding=50)
"""Measured with ONNX Runtime on one thread; the window by `benchmarks.word_windows`."""


class SentenceReader:
    """Turns texts into sentences. It never changes, and may serve several threads."""

    def __init__(
        self,
        normaliser: Normaliser,
        indexer: Indexer,
        keep_unsplittable: bool = True,
        limits: Limits = LIMITS,
        doubt: float = 0.0,
    ) -> None:
        """Take what a model reads with.

        Args:
            normaliser: makes the text that the model sees.
            indexer: gives the ids of characters.
            keep_unsplittable: whether `fenjie.runtime.rules.unsplittable` goes before the model.
            limits: the size of windows and batches.
            doubt: the log-odds below which known words go before others, see
                `fenjie.runtime.decoding.doubtful`; 0 for never.
        """
        self._reader = Reader(normaliser, indexer, sentences, limits)
        self._keep_unsplittable, self._doubt = keep_unsplittable, doubt

    @classmethod
    def of(
        cls, folder: ModelFolder, limits: Limits = LIMITS, standard: str | None = None
    ) -> SentenceReader:
        """The reader of a model folder, for one of its standards; None for its default."""
        indexer = folder.indexer.of(standard)
        return cls(folder.normaliser, indexer, folder.keeps_unsplittable, limits, folder.doubt)

    def read(self, texts: Sequence[str], user: Matcher | None = None) -> SentenceReading:
        """Normalise, cut and index some texts, all at once.

        Args:
            texts: the texts.
            user: finds the user words; None where there are none.
        """
        return SentenceReading(self._reader, texts, self._keep_unsplittable, user, self._doubt)


class SentenceReading(GapReading):
    """Some texts as sentences, to be scored as often as one likes."""

    def __init__(
        self,
        reader: Reader,
        texts: Sequence[str],
        keep_unsplittable: bool,
        user: Matcher | None,
        doubt: float,
    ) -> None:
        """Read the texts; see `SentenceReader`."""
        row, self._edges = reader.row(texts)
        super().__init__(row, keep_unsplittable, user)
        self._indexer, self._doubt = reader.indexer, doubt
        self._view = reader.view(row, self._edges)

    def odds_seen(self, score: Scorer) -> NDArray[np.float32]:
        """As those of a `GapReading`; infinite where a sentence begins."""
        windows = self._view.windows
        odds = np.full(len(self._row.codes), -np.inf, dtype=np.float32)
        odds[self._edges[:-1]] = np.inf
        for batch in self._view.batches():
            found = log_odds(score(batch))
            if len(batch.windows) == 1:
                (window,) = batch.windows.tolist()
                low, high = int(windows.low[window]), int(windows.high[window])
                after = int(windows.start[window]) + 1
                odds[low:high] = found[0, low - after : high - after]
                continue
            # The score of a gap is that of the position after it.
            position = windows.start[batch.windows, None] + np.arange(1, found.shape[1] + 1)
            decided = position >= windows.low[batch.windows, None]
            decided &= position < windows.high[batch.windows, None]
            odds[position[decided]] = found[decided]
        return odds

    def decided(self, odds: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Where words begin by the model and the words that it knows; see `GapReading`."""
        if not in_doubt(odds, self._doubt).any():
            return super().decided(odds)
        if not self._row.is_plain:
            # Whitespace, which the model does not see, ends a word; no character is parted.
            steps = np.diff(self._row.place, prepend=-2)
            odds = np.where(steps > 1, np.inf, np.where(steps > 0, odds, -np.inf))
        begins = super().decided(odds)
        knows = partial(self._indexer.knows, self._indexer.fold(self._row.codes))
        prefer_known(begins, odds, knows, self._doubt)
        return begins
