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
from fenjie.runtime.decoding.gaps import boundaries, spans
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.reading import Reader, Scorer
from fenjie.runtime.rows import SEPARATOR
from fenjie.runtime.rules.unsplittable import find_unsplittable
from fenjie.runtime.words.user_words import Matcher
from fenjie.text.normalise import Normaliser
from fenjie.text.span import Sentence
from fenjie.text.split import sentences

LIMITS = Limits(window=256, overlap=64, first=1, characters=1024, padding=12)
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
        self._unsplittable = (
            find_unsplittable(self._row.text, self._row.original) if keep_unsplittable else None
        )
        self._words = None if user is None else user.find_in(self._row)

    def starts(self, score: Scorer) -> Iterator[list[int]]:
        """The offsets of the words of each text; they tile it.

        A run of whitespace is a word, whatever the model says. User words go before the rules, and
        those before the model.
        """
        row = self._row
        begins = self._model_starts(score)
        if self._unsplittable is not None:
            begins = (begins | self._unsplittable.edge) & ~self._unsplittable.inside
        if self._words is not None:
            force_words(begins, self._words.start, self._words.end)
        space = row.space
        begins[1:] = np.where(
            space[1:] | space[:-1], space[1:] != space[:-1], begins[1:]
        )  # an edge of whitespace is one of words, the inside of it is none
        ends = np.append(row.starts[1:], len(row.original) + len(SEPARATOR)) - len(SEPARATOR)
        begins[row.starts[ends > row.starts]] = True
        starts = np.flatnonzero(begins)
        borders = np.searchsorted(starts, (row.starts, ends)).T
        for (low, high), start in zip(borders.tolist(), row.starts.tolist(), strict=True):
            yield (starts[low:high] - start).tolist()

    def sentences(self, score: Scorer) -> list[Sentence]:
        """The texts with their words."""
        return [
            Sentence(text, spans(starts, len(text)))
            for text, starts in zip(self._row.texts, self.starts(score), strict=True)
        ]

    def _model_starts(self, score: Scorer) -> NDArray[np.bool_]:
        """Where the model lets words begin, `[length]` in the joined texts."""
        row, view = self._row, self._view.windows
        begins = np.zeros(len(row.codes), dtype=bool)
        begins[self._edges[:-1]] = True
        for batch in self._view.batches():
            found = boundaries(score(batch))
            # The score of a gap is that of the position after it.
            position = view.start[batch.windows, None] + np.arange(1, found.shape[1] + 1)
            decided = position >= view.low[batch.windows, None]
            decided &= position < view.high[batch.windows, None]
            begins[position[decided]] = found[decided]
        # Inside of what was one character in the text no word begins.
        begins[1:] &= row.place[1:] != row.place[:-1]
        result = np.zeros(len(row.original), dtype=bool)
        result[row.place[begins]] = True
        return result


def force_words(
    begins: NDArray[np.bool_], start: NDArray[np.int64], end: NDArray[np.int64]
) -> None:
    """Let words begin and end at these places, and none begin in between.

    Args:
        begins: where words begin, `[length]`; changed in place.
        start: where words start that do not overlap, rising.
        end: where they end.
    """
    steps = np.zeros(len(begins) + 1, dtype=np.int8)
    steps[start + 1] += 1
    steps[end] -= 1
    begins &= np.cumsum(steps[:-1]) == 0
    begins[start] = True
    begins[end[end < len(begins)]] = True
