"""The frame of literal taggers: sentence by sentence, in evaluation mode, without padding."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
import torch.nn.functional as F
from torch import Tensor

from fenjie.nn.lattice import Lattice

Word = tuple[int, int]
"""The first and the last character of a word."""


class BySentence(torch.nn.Module, ABC):
    """A tagger that reads the parameters of another one and scores a sentence at a time."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    @abstractmethod
    def scores(self, x: Tensor, words: list[Word], vectors: Tensor) -> Tensor:
        """The scores of a sentence, `[length, tags]`.

        Args:
            x: the vectors of its characters, with their bigrams, `[length, dim]`.
            words: where its words stand.
            vectors: their vectors, `[words, word_dim]`.
        """

    def forward(self, lattice: Lattice) -> Tensor:
        """`[batch, length, tags]`; 0 at padding."""
        tables, rows = self.model.embedding, []
        for row, count in enumerate(lattice.lengths.tolist()):
            ids, many = lattice.ids[row, :count], int(lattice.words[row])
            parts = tables.characters.weight[ids[:, 0]], tables.bigrams.weight[ids[:, 1]]
            edges = (edge[row, :many].tolist() for edge in (lattice.start, lattice.end))
            vectors = tables.words.weight[lattice.word[row, :many]]
            found = self.scores(torch.cat(parts, dim=1), list(zip(*edges, strict=True)), vectors)
            rows.append(F.pad(found, (0, 0, 0, lattice.ids.shape[1] - count)))
        return torch.stack(rows)
