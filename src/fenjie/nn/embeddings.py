"""From ids to vectors: characters, and bigrams and lexicon words where the model has them."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from fenjie.lexicon.indexer import LEXICON_IDS, Sizes
from fenjie.text.vocabulary import PADDING


class CharacterEmbedding(nn.Module):
    """The vector of a character, scaled by the root of its size, plus its bigrams' vectors.

    A character at i takes the bigrams (i-1, i) and (i, i+1) from one table, each through its own
    projection: the same as concatenating all three and projecting, without the product for the
    character. Each lexicon adds a vector for the words that begin, end and go on at the character.
    """

    def __init__(self, sizes: Sizes, dim: int, bigram_dim: int) -> None:
        super().__init__()
        self.scale = math.sqrt(dim)
        self.characters = nn.Embedding(sizes.characters, dim, padding_idx=PADDING)
        nn.init.normal_(self.characters.weight, std=dim**-0.5)
        self.bigrams: nn.Embedding | None = None
        if sizes.bigrams:
            self.bigrams = nn.Embedding(sizes.bigrams, bigram_dim, padding_idx=PADDING)
            nn.init.normal_(self.bigrams.weight, std=bigram_dim**-0.5)
            self.project = nn.Linear(2 * bigram_dim, dim, bias=False)
            nn.init.xavier_uniform_(self.project.weight)
        tables = [
            nn.Embedding(LEXICON_IDS, dim, padding_idx=PADDING) for _ in range(sizes.lexicons)
        ]
        for table in tables:
            nn.init.normal_(table.weight, std=0.5)
        self.lexicons = nn.ModuleList(tables)

    def forward(self, ids: Tensor) -> Tensor:
        """`[batch, length, columns] -> [batch, length, dim]`."""
        vectors: Tensor = self.characters(ids[..., 0]) * self.scale
        column = 1
        if self.bigrams is not None:
            behind = self.bigrams(ids[..., column])
            before = torch.cat((torch.zeros_like(behind[:, :1]), behind[:, :-1]), dim=1)
            vectors = vectors + self.project(torch.cat((before, behind), dim=-1)) * self.scale
            column += 1
        for table in self.lexicons:
            vectors = vectors + table(ids[..., column])
            column += 1
        return vectors
