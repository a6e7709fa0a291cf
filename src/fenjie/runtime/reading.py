"""One way from texts to batches, for every task: row, passages, windows, batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.matching import Finder
from fenjie.lexicon.word_pieces import PieceTokenizer, WordPieceBatch
from fenjie.runtime.batching import Batch, Limits, Windows, Words, batches, without_runs
from fenjie.runtime.rows import Offsets, Row, Split
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import text_of


class Scorer(Protocol):
    """A model: ONNX Runtime (`fenjie.runtime.scorer`) or PyTorch (`fenjie.tasks.scorer`)."""

    def __call__(self, batch: Batch) -> NDArray[np.float32]:
        """Score a batch; the values at padding may be any.

        Returns:
            Of a tagger the scores of the tags of each character, `[batch, length, tags]`; of a
            segmenter those of the gap after each, to join or to part, `[batch, length - 1, 2]`.
        """


class Reader:
    """Turns texts into batches. It never changes, and may serve several threads."""

    def __init__(
        self,
        normaliser: Normaliser,
        indexer: Indexer,
        split: Split,
        limits: Limits,
        finder: Finder | None = None,
        pieces: PieceTokenizer | None = None,
    ) -> None:
        """Take the parts.

        Args:
            normaliser: makes the text that the model sees.
            indexer: gives the ids of characters.
            split: cuts a text into passages; the model sees each for itself.
            limits: the size of windows and batches.
            finder: finds the words; None for a model that reads none.
            pieces: cuts texts into the word pieces of an encoder; None for a model without one.
        """
        self.normaliser, self.indexer, self.finder = normaliser, indexer, finder
        self._split, self._limits, self._pieces = split, limits, pieces

    def row(self, texts: Sequence[str]) -> tuple[Row, Offsets]:
        """The row of some texts, and where its passages begin and the last one ends."""
        row = Row(texts, self.normaliser)
        return row, row.edges(self._split)

    def view(self, row: Row, edges: Offsets) -> View:
        """Index a row, and find its words.

        Args:
            row: the row.
            edges: where its passages begin, and its end, `[passages + 1]`.
        """
        codes = self.indexer.fold(row.codes)  # so that words are found in variants too
        table = self.indexer.rows(codes, edges[1:])
        matches = None
        if self.finder is not None:
            matches = without_runs(codes, self.finder.match_codes(codes, edges[1:]))
        windows = Windows.over(edges, self._limits, matches)
        words = Words.of(windows, matches)
        return View(row, table, windows, words, self._limits, self._pieces)


class View:
    """A row as a model reads it, to be scored as often as one likes.

    Attributes:
        windows: the windows over its passages.
    """

    def __init__(
        self,
        row: Row,
        table: NDArray[np.int32],
        windows: Windows,
        words: Words,
        limits: Limits,
        pieces: PieceTokenizer | None,
    ) -> None:
        """Take what `Reader.view` makes."""
        self.windows = windows
        self._table, self._words, self._limits = table, words, limits
        self._pieced = None
        if pieces is not None:
            text = text_of(row.codes)
            bounds = zip(windows.start.tolist(), windows.stop.tolist(), strict=True)
            self._pieced = [pieces(text[start:stop]) for start, stop in bounds]

    def words(self) -> tuple[Offsets, Offsets]:
        """Where the words that a model is given start and end in the row, by their start, then end.

        Returns:
            `[words]` each; a word that several windows hold counts once.
        """
        origin = self.windows.start.repeat(self._words.counts)
        places = np.stack((self._words.start + origin, self._words.end + origin + 1), axis=1)
        start, end = np.unique(places, axis=0).T
        return start, end

    def batches(self) -> Iterator[Batch]:
        """The windows, those of like length together."""
        for batch in batches(self._table, self.windows, self._words, self._limits):
            if self._pieced is None:
                yield batch
            else:
                pieced = [self._pieced[number] for number in batch.windows.tolist()]
                yield batch._replace(word_pieces=WordPieceBatch.of(pieced))
