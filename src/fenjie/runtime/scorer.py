"""Scores of batches by an exported model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon import WordVectors
from fenjie.runtime.batching import Batch
from fenjie.runtime.session import INPUTS, PIECE_INPUTS, WORD_INPUTS, Session


class OnnxScorer:
    """Scores batches with an exported model; see `fenjie.runtime.reading.Scorer`."""

    def __init__(self, path: Path, words: WordVectors | None = None, threads: int = 1) -> None:
        """Load an exported model.

        Args:
            path: the ONNX file.
            words: the vectors of the words that it reads; None where it reads none.
            threads: the number of threads that one call may use.

        Raises:
            FileError: the file is not such a model.
        """
        self._words = words
        read = (*INPUTS, *PIECE_INPUTS, *(() if words is None else WORD_INPUTS))
        self._session = Session(path, threads, read)

    def __call__(self, batch: Batch) -> NDArray[np.float32]:
        """`[batch, length, tags]` of a tagger, `[batch, length - 1, 2]` of a segmenter."""
        pieces = batch.word_pieces or ()
        if self._words is None:
            return self._session(batch.ids, batch.lengths, *pieces)
        word = batch.word.ravel()
        made = [self._words(word)]
        if "counts" in self._session.inputs:
            made.append(self._words.counts(word))
        shaped = (values.reshape(*batch.word.shape, *values.shape[1:]) for values in made)
        places = batch.start, batch.end, batch.words
        return self._session(batch.ids, batch.lengths, *pieces, *places, *shaped)
