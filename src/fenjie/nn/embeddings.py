"""From ids to vectors: characters, and bigrams and lexicon words where the model has them."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.lexicon.indexer import Sizes
from fenjie.lexicon.longest import VIEWS
from fenjie.text.vocabulary import PADDING, RESERVED


class CharacterEmbedding(nn.Module):
    """The vector of a character, scaled by the root of its size, plus its bigrams' vectors.

    A character at i takes the bigrams (i-1, i) and (i, i+1) from one table, each through its own
    projection: the same as concatenating all three and projecting, without the product for the
    character. Each lexicon adds a vector for the words that begin, end and go on at the character.
    Where the model knows several standards, the one by which the text is read adds a vector too.
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
        self.lexicons = nn.ModuleList(
            (ViewTable(sizes.standards, dim) for _ in range(sizes.lexicons))
            if sizes.standards
            else view_tables(sizes.lexicons, dim)
        )
        self.standards: nn.Embedding | None = None
        if sizes.standards:
            self.standards = nn.Embedding(sizes.standards + RESERVED, dim, padding_idx=PADDING)
            nn.init.normal_(self.standards.weight, std=0.5)

    def forward(self, ids: Tensor) -> Tensor:
        """`[batch, length, columns] -> [batch, length, dim]`."""
        if torch.compiler.is_exporting():  # the table is stored scaled
            vectors = F.embedding(ids[..., 0], self.characters.weight * self.scale)
        else:
            vectors = self.characters(ids[..., 0]) * self.scale
        column = 1
        if self.bigrams is not None:
            after = self.bigrams(ids[..., column])
            before = F.pad(after[:, :-1], (0, 0, 1, 0))
            vectors = vectors + self.project(torch.cat((before, after), dim=-1)) * self.scale
            column += 1
        for table in self.lexicons:
            vectors = vectors + table(ids[..., column])
            column += 1
        if self.standards is not None:
            vectors = vectors + self.standards(ids[..., column])
        return vectors


def view_tables(count: int, dim: int) -> list[nn.Embedding]:
    """Vectors of what each lexicon says of a character: `RESERVED + VIEWS` rows."""
    tables = [nn.Embedding(RESERVED + VIEWS, dim, padding_idx=PADDING) for _ in range(count)]
    for table in tables:
        nn.init.normal_(table.weight, std=0.5)
    return tables


class ViewTable(nn.Module):
    """The same for several standards: a vector that all share, plus one of the standard's own.

    The ids are those of `Sizes.views`. Of words that a small corpus seldom shows, the others tell.
    """

    def __init__(self, standards: int, dim: int) -> None:
        super().__init__()
        (self.shared,) = view_tables(1, dim)
        self.own = nn.Embedding(RESERVED + VIEWS * standards, dim, padding_idx=PADDING)
        nn.init.zeros_(self.own.weight)

    def forward(self, ids: Tensor) -> Tensor:
        """`[...] -> [..., dim]`."""
        if torch.compiler.is_exporting():
            shared, own = self.shared.weight, self.own.weight
            times = (len(own) - RESERVED) // VIEWS
            repeated = torch.cat((shared[:RESERVED], shared[RESERVED:].repeat(times, 1)))
            return F.embedding(ids, repeated + own)
        view = torch.where(ids < RESERVED, ids, (ids - RESERVED) % VIEWS + RESERVED)
        together: Tensor = self.shared(view) + self.own(ids)
        return together


TableShape = tuple[int, int, int]
"""The arguments of a `TrainedTable`: rows that learn, rows that do not, the size of a vector."""


class TrainedTable(nn.Module):
    """Vectors by id: the first ones are trained, the others stay as they were given.

    Training sees the ids of the first ones alone: they are those that the training data hold. The
    others, known from unlabelled text, are for texts read later. They are kept as float16.
    """

    fixed: Tensor

    def __init__(self, trained: int, fixed: int, dim: int) -> None:
        """Make the table; padding (0) and the unknown unit (1) are among the trained rows."""
        super().__init__()
        self.sparse = False
        self.weight = nn.Parameter(torch.empty(trained, dim))
        self.register_buffer("fixed", torch.zeros(fixed, dim, dtype=torch.float16))
        nn.init.uniform_(self.weight, -math.sqrt(3 / dim), math.sqrt(3 / dim))
        with torch.no_grad():
            self.weight[PADDING] = 0

    @property
    def dim(self) -> int:
        """The size of a vector."""
        return self.weight.shape[1]

    @torch.no_grad()
    def start(self, ids: Tensor, vectors: Tensor) -> None:
        """Give some rows, of either kind, their first vectors: `[ids]`, `[ids, dim]`."""
        learns = ids < len(self.weight)
        self.weight[ids[learns]] = vectors[learns]
        self.fixed[ids[~learns] - len(self.weight)] = vectors[~learns].half()

    def whole(self) -> Tensor:
        """The table as one: `[trained + fixed, dim]`."""
        return torch.cat((self.weight, self.fixed.float()))

    def forward(self, ids: Tensor) -> Tensor:
        """`[...] -> [..., dim]`."""
        if torch.compiler.is_exporting():
            return F.embedding(ids, self.whole())
        count = len(self.weight)
        if self.training or not len(self.fixed):
            return F.embedding(ids, self.weight, padding_idx=PADDING, sparse=self.sparse)
        known = F.embedding(ids.clamp(max=count - 1), self.weight)
        other = F.embedding((ids - count).clamp(min=0), self.fixed).to(known.dtype)
        return torch.where((ids < count)[..., None], known, other)
