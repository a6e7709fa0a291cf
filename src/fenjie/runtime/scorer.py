"""Scores of batches by an exported model."""

from __future__ import annotations

from copy import copy
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FileError
from fenjie.lexicon import WordVectors
from fenjie.lexicon.indexer import ngram_columns
from fenjie.lexicon.word_pieces import WordPieceBatch
from fenjie.runtime.batching import Batch
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.model_files import ONNX
from fenjie.runtime.session import INPUTS, PIECE_INPUTS, WORD_INPUTS, Session
from fenjie.text.vocabulary import RESERVED

LARGE = 3 << 18
"""Memory of a large batch, after which memory is given back to the system. That costs as much as
tagging some eighty sentences, so only the longest sentences of a newspaper may do it."""


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

    @classmethod
    def of(cls, folder: ModelFolder, scores: tuple[int, int], threads: int = 1) -> OnnxScorer:
        """Load the exported model of a folder and run it on the last unit of each vocabulary.

        Args:
            folder: the model.
            scores: the shape of the scores of a text of two characters, `(1, 2)` for one gap.
            threads: the number of threads that one call may use.

        Raises:
            FileError: a file is missing or damaged, or the model does not fit the other files.
        """
        path = folder.file(ONNX)
        scorer = cls(path, folder.words, threads)
        sizes = folder.indexer.sizes
        last = [sizes.characters - 1, *([sizes.bigrams - 1] if sizes.bigrams else [])]
        last += [sizes.views - 1] * sizes.lexicons
        last += [RESERVED + sizes.standards - 1] * bool(sizes.standards)
        last += [sizes.ngrams - 1] * ngram_columns(sizes)
        ids, one = np.array([[last] * 2], dtype=np.int64), np.ones(1, dtype=np.int64)
        none = np.zeros((1, 1), dtype=np.int64)
        batch = Batch(one - 1, ids, one + 1, none, none + 1, one, none)
        if folder.pieces is not None:
            pieces = WordPieceBatch.of([folder.pieces("中文")])
            pieces.pieces[0, 1] = len(folder.pieces) - 1
            batch = batch._replace(word_pieces=pieces)
        found = scorer(batch)
        if found.shape != (1, *scores):
            raise FileError(
                path,
                "the model does not fit its folder",
                found=found.shape,
                expected=str((1, *scores)),
            )
        if not np.isfinite(found).all():
            raise FileError(path, "the model gives scores that are no numbers")
        return scorer

    def with_words(self, words: WordVectors | None) -> OnnxScorer:
        """The same model over a copy of the words that it reads."""
        other = copy(self)
        other._words = words
        return other

    def __call__(self, batch: Batch) -> NDArray[np.float32]:
        """`[batch, length, tags]` of a tagger, `[batch, length - 1, 2]` of a segmenter."""
        values = [batch.ids, batch.lengths, *(batch.word_pieces or ())]
        if self._words is not None:
            word, shape = batch.word.ravel(), batch.word.shape
            vectors = self._words(word).reshape(*shape, self._words.dim)
            values += [batch.start, batch.end, batch.words, vectors]
            if "counts" in self._session.inputs:
                values.append(self._words.counts(word).reshape(shape))
        return self._session(*values, release=batch.memory > LARGE)
