"""Attention over a lattice with relative positions of spans (FLAT, eq. 11), without padding.

The tokens of a batch stand one behind the other. Each block of queries (of one sentence and one
length) scores all keys of its sentence. The part of the score that comes from positions is
computed for each distinct pair of positions in the sentence, one small matrix product a block;
the score of a key is then looked up there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fenjie.nn.lattice import Lattice, Place

BLOCK = 64
"""The most queries that are scored at once."""


@dataclass(frozen=True)
class Block:
    """Some queries of one sentence, all of one length, and the keys of that sentence.

    Attributes:
        queries: their indices among all queries: a slice, or `[queries]`.
        keys: the indices of the keys among all tokens.
        length: the length of the queries in characters.
        window: which rows of the position keys of that length are needed.
        index: for each pair where in the window its score is, `[queries, keys]`.
        hidden: which keys a query does not see, `[queries, keys]`; None where it sees them all.
    """

    queries: slice | Tensor
    keys: slice
    length: int
    window: slice
    index: Tensor
    hidden: Tensor | None


@dataclass(frozen=True)
class SpanPattern:
    """Who sees whom in a batch, and how far apart they are.

    Attributes:
        blocks: all queries, block by block.
        lengths: the lengths of keys that occur, in rising order.
        reach: the largest distance of two heads.
    """

    blocks: tuple[Block, ...]
    lengths: tuple[int, ...]
    reach: int

    @classmethod
    def make(
        cls, lattice: Lattice, *, words_ask: bool, self_matched: bool = True, reach: int = 0
    ) -> SpanPattern:
        """The pattern of a batch.

        Args:
            lattice: the batch.
            words_ask: whether the words are queries too, or the characters alone.
            self_matched: whether characters see the words that contain them (not in FLAT_msm).
            reach: hide tokens that are further apart (10 in FLAT_mld); 0 hides none. Two spans
                that overlap are 0 apart; others as many steps as lead from the one's nearest
                character to the other's.
        """
        lengths, kinds = torch.unique(lattice.sizes, return_inverse=True)
        widest = max(place.characters for place in lattice.places) - 1
        blocks, asked = [], 0
        for place in lattice.places:
            keys = slice(place.first, place.first + place.characters + place.words)
            spans = _Spans(lattice.heads[keys], lattice.sizes[keys], kinds[keys], len(lengths))
            first = place.first if words_ask else asked
            for queries in _queries(spans, place, words_ask):
                hidden = spans.hidden(queries, self_matched, reach)
                length = int(spans.sizes[queries][0])
                window, index = spans.index(queries, widest, place.characters)
                moved = (
                    slice(first + queries.start, first + queries.stop)
                    if isinstance(queries, slice)
                    else queries + first
                )
                blocks.append(Block(moved, keys, length, window, index, hidden))
            asked += place.characters
        return cls(tuple(blocks), tuple(lengths.tolist()), widest)


@dataclass(frozen=True)
class _Spans:
    """The tokens of one sentence."""

    heads: Tensor
    sizes: Tensor
    kinds: Tensor
    count: int

    def index(self, queries: slice | Tensor, reach: int, length: int) -> tuple[slice, Tensor]:
        """The window of position keys that the queries need, and the place of each pair in it."""
        asking = self.heads[queries]
        low, high = int(asking.min()), int(asking.max())
        index = (self.heads - asking[:, None] + high) * self.count + self.kinds
        return slice(reach - high, reach + length - low), index

    def hidden(self, queries: slice | Tensor, self_matched: bool, reach: int) -> Tensor | None:
        """Which keys the queries do not see."""
        hidden = None
        head, tail = self.heads, self.heads + self.sizes - 1
        own_head, own_tail = head[queries, None], tail[queries, None]
        if not self_matched and bool((self.sizes[queries] == 1).all()):
            hidden = (head <= own_head) & (own_head <= tail) & (self.sizes > 1)
        if reach:
            far = torch.maximum(own_head - tail, head - own_tail) > reach
            hidden = far if hidden is None else hidden | far
        return hidden


def _queries(spans: _Spans, place: Place, words_ask: bool) -> list[slice | Tensor]:
    """The queries of a sentence, block by block."""
    starts = range(0, place.characters, BLOCK)
    made: list[slice | Tensor] = [slice(at, min(at + BLOCK, place.characters)) for at in starts]
    if words_ask:
        words = spans.sizes[place.characters :]
        for size in torch.unique(words).tolist():
            same = (words == size).nonzero()[:, 0] + place.characters
            made.extend(same.split(BLOCK))
    return made


class LatticeAttention(nn.Module):
    """Multi-head attention with the score of eq. 11."""

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        scale: bool,
        key_projection: bool,
        output_projection: bool,
    ) -> None:
        """Make the projections; `FlatConfig` says what the settings are."""
        super().__init__()
        self.heads = heads
        self.factor = (dim // heads) ** -0.5 if scale else 1.0
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False) if key_projection else None
        self.value = nn.Linear(dim, dim, bias=False)
        self.position = nn.Linear(dim, dim, bias=False)
        self.merge = nn.Linear(dim, dim) if output_projection else None
        self.content_bias = nn.Parameter(torch.empty(heads, dim // heads))  # u of eq. 11
        self.position_bias = nn.Parameter(torch.empty(heads, dim // heads))  # v of eq. 11
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.xavier_uniform_(weight)
        if self.merge is not None:
            nn.init.zeros_(self.merge.bias)

    def forward(
        self, asking: Tensor, x: Tensor, positions: Mapping[int, Tensor], pattern: SpanPattern
    ) -> Tensor:
        """Mix the values for each query.

        Args:
            asking: the vectors of the queries, `[queries, dim]`.
            x: the vectors of all tokens, `[tokens, dim]`.
            positions: R for each length of queries, `[offsets, lengths, dim]`.
            pattern: who sees whom.

        Returns:
            `[queries, dim]`.
        """
        split = (self.heads, -1)
        query = self.query(asking).unflatten(-1, split) * self.factor
        content = query + self.content_bias * self.factor
        position = query + self.position_bias * self.factor
        key = (x if self.key is None else self.key(x)).unflatten(-1, split)
        value = self.value(x).unflatten(-1, split)
        # (offsets, lengths, D) -> (offsets * lengths, H, D/H)
        places = {
            a: self.position(r).flatten(0, 1).unflatten(-1, split) for a, r in positions.items()
        }
        count = len(pattern.lengths)
        mixed = torch.empty_like(query)
        for block in pattern.blocks:
            near = places[block.length][block.window.start * count : block.window.stop * count]
            scores = torch.einsum("qhd,khd->hqk", content[block.queries], key[block.keys])
            ranged = torch.einsum("qhd,khd->hqk", position[block.queries], near)
            scores = scores + ranged.gather(2, block.index.expand(self.heads, -1, -1))
            if block.hidden is not None:
                scores = scores.masked_fill(block.hidden, -torch.inf)
            weights = torch.softmax(scores, dim=-1)
            mixed[block.queries] = torch.einsum("hqk,khd->qhd", weights, value[block.keys])
        flat = mixed.flatten(-2)
        result: Tensor = flat if self.merge is None else self.merge(flat)
        return result
