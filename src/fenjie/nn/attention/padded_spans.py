"""FLAT's attention (eq. 4 to 11) on padded batches: the characters of a sentence, then its words.

Where characters are the queries, the position key `W_k,R R` of eq. 11 depends on the offset of two
heads and on the length of the key alone. The characters among themselves need a band of that
table, which is one matrix product; each word takes rows of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.lexicon.keys import LONGEST
from fenjie.nn.attention.span_positions import SpanPositions
from fenjie.nn.lattice import Lattice
from fenjie.nn.layout import padded_reach
from fenjie.nn.positions import encoded_distances


@dataclass(frozen=True)
class PaddedSpans:
    """Who sees whom in a padded batch, and how far apart they are.

    Attributes:
        lattice: the batch.
        positions: R of eq. 8.
        word_queries: whether the words are queries too, or the characters alone.
        bias: added to the scores, 0 or -inf, `[batch, 1, queries or 1, tokens]`.
    """

    lattice: Lattice
    positions: SpanPositions
    word_queries: bool
    bias: Tensor

    @classmethod
    def make(
        cls,
        lattice: Lattice,
        positions: SpanPositions,
        *,
        word_queries: bool,
        self_matched: bool = True,
        reach: int = 0,
    ) -> PaddedSpans:
        """The pattern of a batch; the arguments are those of `SpanPattern.make`."""
        word_queries = word_queries and lattice.has_words
        seen = lattice.token_mask[:, None]
        if reach or not self_matched:
            heads, tails = lattice.edges
            queries = slice(None if word_queries else lattice.ids.shape[1])
            own_heads, own_tails = heads[:, queries, None], tails[:, queries, None]
            heads, tails = heads[:, None], tails[:, None]
        if not self_matched:
            inside = (heads <= own_heads) & (own_heads <= tails)
            seen = seen & ~(inside & (heads < tails) & (own_heads == own_tails))
        if reach:
            apart = torch.maximum(own_heads - tails, heads - own_tails)
            seen = seen & (apart <= reach)
        if reach or not self_matched:  # a query of padding would see nothing: let it see all
            seen = seen | ~lattice.token_mask[:, queries, None]
        return cls(lattice, positions, word_queries, torch.where(seen, 0.0, -torch.inf)[:, None])

    @property
    def length(self) -> int:
        """The number of places for characters."""
        return self.lattice.ids.shape[1]

    @property
    def reach(self) -> int:
        """A distance that none in the batch exceeds: in an export, that of whole windows."""
        return padded_reach(self.length)

    def queries(self, x: Tensor) -> Tensor:
        """The tokens that are queries: `[batch, tokens, dim] -> [batch, queries, dim]`."""
        return x if self.word_queries or not self.lattice.has_words else x[:, : self.length]

    @property
    def shares(self) -> Tensor:
        """One over the characters of the sentence of each query, 0 at padding; see `shares`.

        `[batch, queries]`
        """
        return self.queries(self.lattice.token_mask) / self.lattice.lengths[:, None]

    def position_scores(self, position: Tensor, heads: int, project: nn.Linear) -> Tensor:
        """The part of the scores that comes from positions, by W_k,R.

        From q + v, `[batch, queries, dim]`, to `[batch, heads, queries, tokens]`.
        """
        reach = self.reach
        if self.word_queries:
            ends = dict(zip("ht", self.lattice.edges, strict=True))
            encoded = encoded_distances(-reach, reach, self.positions.dim, position)
            keys = project(between(ends, self.positions.tables(encoded)))
            return pair_products(position, keys, heads)
        longest = LONGEST if self.lattice.has_words else 1
        table = project(offsets(self.positions, longest, reach, position))
        found = self._of_characters(position, table[0], heads, reach)
        if not self.lattice.has_words:
            return found
        # Row (end - start) * width + start - i + reach of the table
        width, start, end = 2 * reach + 1, self.lattice.start[:, None], self.lattice.end[:, None]
        place = torch.arange(self.length, device=start.device)[:, None]
        rows = end * width - start * (width - 1) + (reach - place)
        of_words = pair_products(position, F.embedding(rows, table.flatten(0, 1)), heads)
        return torch.cat((found, of_words), dim=-1)

    def _of_characters(self, position: Tensor, keys: Tensor, heads: int, reach: int) -> Tensor:
        """Of characters as keys, by offset: `[batch, heads, length, length]`."""
        length, split = self.length, (heads, position.shape[-1] // heads)
        # (B, H, L, D/H) x (H, D/H, 2L): from offset -(L - 1) to L
        near = keys.unflatten(-1, split).permute(1, 2, 0)
        near = near[..., reach + 1 - length : reach + 1 + length]
        ranged = position.unflatten(-1, split).transpose(1, 2) @ near
        # Offset j - i stands in column j - i + L - 1 of row i. In a row of all numbers one after
        # the other, that is at i * (2L - 1) + j + L - 1: rows that are shorter by one.
        flat = ranged.flatten(-2)[..., length - 1 : -1]
        square: Tensor = flat.unflatten(-1, (length, 2 * length - 1))
        return square[..., :length]


def between(ends: Mapping[str, Tensor], tables: Mapping[str, Tensor]) -> Tensor:
    """R of all pairs of some tokens (eq. 4 to 8): `[batch, tokens, tokens, dim]`.

    Args:
        ends: the heads `h` and the tails `t` of the tokens, `[batch, tokens]` each.
        tables: those of `SpanPositions`, with distance 0 in the middle, `[distances, dim]` each.
    """
    parts = []
    for name, table in tables.items():
        distance = ends[name[0]][:, :, None] - ends[name[1]][:, None]
        parts.append(F.embedding(distance + table.shape[0] // 2, table))
    return parts[0] if len(parts) == 1 else F.relu(sum(parts[1:], parts[0]))


def pair_products(position: Tensor, keys: Tensor, heads: int) -> Tensor:
    """The products of queries with a key for each token: `[batch, heads, queries, tokens]`.

    Queries are `[batch, queries, dim]`, keys `[batch, queries, tokens, dim]`.
    """
    product = (keys * position[:, :, None]).unflatten(-1, (heads, keys.shape[-1] // heads))
    result: Tensor = product.sum(-1).permute(0, 3, 1, 2)
    return result


def offsets(positions: SpanPositions, longest: int, reach: int, like: Tensor) -> Tensor:
    """R for queries of one character and keys of 1, 2, …, `longest` characters.

    As `SpanPositions.forward`: `[longest, 2 * reach + 1, dim]`.
    """
    width, maps = 2 * reach + 1, positions.maps()
    # Offset j - i rises from row to row: d_hh falls. d_ht of a key longer by one falls by one.
    falling = encoded_distances(reach, 1 - reach - longest, positions.dim, like)
    if positions.distances == "head":
        return falling[:width].expand(longest, -1, -1)
    heads = falling[:width] @ _sum(maps, "hh", "th").T
    tails = falling @ _sum(maps, "tt", "ht").T
    rows = torch.arange(longest, device=like.device)[:, None]
    rows = rows + torch.arange(width, device=like.device)
    return F.relu(heads + F.embedding(rows, tails))


def _sum(maps: dict[str, Tensor], first: str, second: str) -> Tensor:
    return maps[first] + maps[second] if second in maps else maps[first]
