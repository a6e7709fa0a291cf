"""From ids to vectors: characters, and bigrams where the model has them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from fenjie.text.vocabulary import PADDING


class CharacterEmbedding(nn.Module):
    """The vector of a character, scaled by the root of its size, plus its bigrams' vectors.

    A character at i takes the bigrams (i-1, i) and (i, i+1) from one table, each through its own
    projection: the same as concatenating all three and projecting, without the product for the
    character.
    """

    def __init__(self, sizes: Sequence[int], dim: int, bigram_dim: int) -> None:
        super().__init__()
        self.scale = math.sqrt(dim)
        self.characters = nn.Embedding(sizes[0], dim, padding_idx=PADDING)
        nn.init.normal_(self.characters.weight, std=dim**-0.5)
        self.bigrams: nn.Embedding | None = None
        if len(sizes) > 1:
            self.bigrams = nn.Embedding(sizes[1], bigram_dim, padding_idx=PADDING)
            nn.init.normal_(self.bigrams.weight, std=bigram_dim**-0.5)
            self.project = nn.Linear(2 * bigram_dim, dim, bias=False)
            nn.init.xavier_uniform_(self.project.weight)

    def forward(self, ids: Tensor) -> Tensor:
        """`[batch, length, columns] -> [batch, length, dim]`."""
        vectors: Tensor = self.characters(ids[..., 0]) * self.scale
        if self.bigrams is None:
            return vectors
        behind = self.bigrams(ids[..., 1])
        before = torch.cat((torch.zeros_like(behind[:, :1]), behind[:, :-1]), dim=1)
        projected: Tensor = self.project(torch.cat((before, behind), dim=-1))
        return vectors + projected * self.scale
