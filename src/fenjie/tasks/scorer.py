"""Scores of batches by a model in PyTorch: dev scores in training, and models without an export."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fenjie.lexicon.word_vectors import WordVectors
from fenjie.nn.batch import Batch as Characters
from fenjie.nn.lattice import Lattice, pieces_of
from fenjie.runtime.batching import Batch


class TorchScorer:
    """Scores the lattices of a tagger; see `fenjie.runtime.reading.Scorer`."""

    def __init__(
        self, module: Any, vectors: WordVectors | None, device: torch.device | str = "cpu"
    ) -> None:
        """Take a model; it is left in the mode (training or not) it is in."""
        self.module, self.vectors, self.device = module, vectors, device

    def __call__(self, batch: Batch) -> NDArray[np.float32]:
        """`[batch, length, tags]`."""
        return evaluated(self.module, self.lattice(batch).to(self.device))

    def lattice(self, batch: Batch) -> Lattice:
        """The batch in PyTorch, with the vectors of its words."""
        ids, lengths, start, end, words = (
            torch.from_numpy(array)
            for array in (batch.ids, batch.lengths, batch.start, batch.end, batch.words)
        )
        pieces = pieces_of(batch.word_pieces)
        if self.vectors is None:
            none = torch.empty((len(ids), 0), dtype=torch.int64)
            return Lattice(ids, lengths, none, none, torch.zeros_like(lengths), word=none, **pieces)
        word, shape = batch.word.ravel(), batch.word.shape
        vectors = torch.from_numpy(self.vectors(word).reshape(*shape, self.vectors.dim))
        counts = torch.from_numpy(self.vectors.counts(word).reshape(shape))
        return Lattice(ids, lengths, start, end, words, vectors=vectors, counts=counts, **pieces)


class TorchGapScorer:
    """Scores the gaps of a segmenter; see `fenjie.runtime.reading.Scorer`."""

    def __init__(self, module: Any, device: torch.device | str = "cpu") -> None:
        """Take a model; it is left in the mode (training or not) it is in."""
        self.module, self.device = module, device

    def __call__(self, batch: Batch) -> NDArray[np.float32]:
        """`[batch, length - 1, 2]`."""
        ids, lengths = torch.from_numpy(batch.ids), torch.from_numpy(batch.lengths)
        return evaluated(self.module, Characters(ids, lengths).to(self.device))


@torch.no_grad()
def evaluated(module: Any, batch: Characters | Lattice) -> NDArray[np.float32]:
    """The scores of a model in evaluation mode; where it gives several, the first."""
    training = module.training
    module.eval()
    scores = module(batch)
    module.train(training)
    final: Tensor = scores if isinstance(scores, Tensor) else scores[0]
    return final.float().cpu().numpy()
