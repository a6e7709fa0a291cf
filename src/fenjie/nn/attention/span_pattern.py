"""The attention mask and the relative positions of a lattice, in blocks of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fenjie.nn.attention.span_positions import SpanPositions
from fenjie.nn.lattice import TILE, Ints, Tokens

BLOCK = 48
"""The most queries that are scored at once; a divisor of the size of a tile."""


@dataclass(frozen=True)
class Part:
    """The keys of one tile, and their position keys for the queries of a block.

    Attributes:
        keys: which keys of the sentence they are.
        lengths: of which lengths position keys are needed.
        offsets: of which offsets.
        column: where among those the score of each key is, for the last query,
            `[1, keys]`.
        shift: how much further it is for the other queries, `[queries, 1]`.
    """

    keys: slice
    lengths: slice
    offsets: slice
    column: Tensor
    shift: Tensor

    def index(self) -> Tensor:
        """The index of each pair among the scores of the position keys, `[queries, keys]`."""
        return self.column + self.shift


@dataclass(frozen=True)
class Block:
    """Some queries of one sentence, all of one length, which stand one after another.

    Attributes:
        size: number of queries.
        kind: index of their length among the lengths of the pattern.
        sentence: the number of the sentence; its tokens are the keys.
        parts: those keys, tile by tile.
        hidden: True where a query does not see a key, `[queries, keys]`; None where it sees all.
    """

    size: int
    kind: int
    sentence: int
    parts: tuple[Part, ...]
    hidden: Tensor | None


@dataclass(frozen=True)
class SpanPattern:
    """The blocks of a batch.

    Attributes:
        query_tokens: the tokens that are queries, in the order of the blocks, `[queries]`; None for
            all tokens as they stand.
        blocks: all queries, block by block.
        sizes: the number of tokens of each sentence.
        characters: the number of characters of each sentence.
        lengths: the lengths of tokens that occur, in rising order; 1 is always among them.
        reach: the largest distance of two heads.
        positions: R of eq. 8.
    """

    query_tokens: Tensor | None
    blocks: tuple[Block, ...]
    sizes: tuple[int, ...]
    characters: tuple[int, ...]
    lengths: tuple[int, ...]
    reach: int
    positions: SpanPositions

    @classmethod
    def make(
        cls,
        tokens: Tokens,
        positions: SpanPositions,
        *,
        word_queries: bool,
        self_matched: bool = True,
        reach: int = 0,
    ) -> SpanPattern:
        """The pattern of a batch.

        Args:
            tokens: the characters and words of the batch.
            positions: R of eq. 8.
            word_queries: whether the words are queries too, or the characters alone.
            self_matched: whether characters see the words that contain them (not in FLAT_msm).
            reach: hide tokens that are further apart (10 in FLAT_mld); 0 hides none. Two spans
                that overlap are 0 apart; others as many steps as lead from the one's nearest
                character to the other's.
        """
        lengths, kinds = np.unique(tokens.lengths, return_inverse=True)
        widest = int(tokens.heads.max())
        device = tokens.order.device
        blocks, characters = [], []
        for number, (start, stop) in enumerate(pairwise(tokens.sentences)):
            heads, own = tokens.heads[start:stop], kinds[start:stop]
            tiles = _runs(heads // TILE)
            characters.append(int(heads.max()) + 1)
            for queries in _queries(heads, own, tiles, word_queries):
                query_heads, kind = heads[queries], int(own[queries.start])
                hidden = None
                if reach or not (self_matched or kind):
                    tails = heads + tokens.lengths[start:stop] - 1
                    hidden = _hidden(heads, tails, queries, self_matched or kind > 0, reach)
                block = Block(
                    len(query_heads),
                    kind,
                    number,
                    tuple(_part(heads, own, tile, query_heads, widest, device) for tile in tiles),
                    None if hidden is None else torch.from_numpy(hidden).to(device),
                )
                blocks.append(block)
        return cls(
            None if word_queries else tokens.characters,
            tuple(blocks),
            tuple(np.diff(tokens.sentences).tolist()),
            tuple(characters),
            tuple(lengths.tolist()),
            widest,
            positions,
        )

    @property
    def query_lengths(self) -> tuple[int, ...]:
        """The lengths of the queries; their indices are the kinds of the blocks."""
        return self.lengths if self.query_tokens is None else (1,)

    @property
    def pairs(self) -> int:
        """The number of pairs of a query and a key."""
        return sum(block.size * self.sizes[block.sentence] for block in self.blocks)

    def queries(self, x: Tensor) -> Tensor:
        """The vectors of the queries: `[tokens, dim] -> [queries, dim]`."""
        return x if self.query_tokens is None else x.index_select(0, self.query_tokens)

    def means(self, x: Tensor) -> Tensor:
        """The mean over the tokens of each query's sentence: `[tokens, dim] -> [queries, dim]`."""
        sizes = np.array(self.sizes)
        queries = sizes if self.query_tokens is None else np.array(self.characters)
        sums = x.new_zeros(len(sizes), x.shape[-1]).index_add_(0, _owners(sizes, x), x)
        means = sums / x.new_tensor(self.sizes)[:, None]
        return means.index_select(0, _owners(queries, x))

    def by_block(self, x: Tensor) -> tuple[Tensor, ...]:
        """The part of each block, heads first: `[queries, heads, dim] -> [heads, block, dim]`."""
        parts: tuple[Tensor, ...] = x.transpose(0, 1).split([b.size for b in self.blocks], dim=1)
        return parts

    def by_sentence(self, x: Tensor) -> tuple[Tensor, ...]:
        """The part of each sentence: `[tokens, heads, dim] -> [heads, sentence, dim]`."""
        parts: tuple[Tensor, ...] = x.transpose(0, 1).split(list(self.sizes), dim=1)
        return parts


def _owners(counts: Ints, like: Tensor) -> Tensor:
    """The index of each count, repeated that many times."""
    return torch.from_numpy(np.arange(len(counts)).repeat(counts)).to(like.device)


def _runs(values: Ints) -> list[slice]:
    """The runs of equal values."""
    borders = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
    return [slice(*border) for border in pairwise(borders)]


def _queries(heads: Ints, kinds: Ints, tiles: Sequence[slice], word_queries: bool) -> list[slice]:
    """The queries of a sentence, block by block: each of one tile and of one length."""
    made = []
    for tile in tiles:
        # Of a tile first the characters stand, one for each head.
        characters = slice(0, int(heads[tile].max() - heads[tile].min()) + 1)
        for run in _runs(kinds[tile]) if word_queries else [characters]:
            stop = tile.start + run.stop
            starts = range(tile.start + run.start, stop, BLOCK)
            made += [slice(at, min(at + BLOCK, stop)) for at in starts]
    return made


def _part(
    heads: Ints,
    kinds: Ints,
    tile: slice,
    query_heads: Ints,
    widest: int,
    device: torch.device,
) -> Part:
    """The keys of a tile, for queries whose heads are `query_heads`."""
    keys, own = heads[tile], kinds[tile]
    high = int(query_heads.max())
    first, last = int(keys.min()) - high, int(keys.max()) - int(query_heads.min())
    column = keys - high - first + own * (last - first + 1)
    return Part(
        tile,
        slice(0, int(own.max()) + 1),
        slice(widest + first, widest + last + 1),
        torch.from_numpy(column[None]).to(device),
        torch.from_numpy((high - query_heads)[:, None]).to(device),
    )


def _hidden(
    heads: Ints, tails: Ints, queries: slice, self_matched: bool, reach: int
) -> NDArray[np.bool_]:
    """The attention mask of some queries: True where a key is hidden, `[queries, keys]`."""
    own_head, own_tail = heads[queries, None], tails[queries, None]
    hidden = np.zeros((len(own_head), len(heads)), dtype=np.bool_)
    if not self_matched:
        hidden |= (heads <= own_head) & (own_head <= tails) & (heads < tails)
    if reach:
        hidden |= np.maximum(own_head - tails, heads - own_tail) > reach
    return hidden
