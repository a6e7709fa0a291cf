"""Relative positions of spans (FLAT, eq. 4 to 10), once for each distinct pair of positions.

A span is a head (the index of its first character) and a length. All four distances of a query
span of length a and a key span of length b follow from the offset o = head_i - head_j:

    d_hh = o    d_th = o + (a - 1)    d_ht = o - (b - 1)    d_tt = o - (b - 1) + (a - 1)

Before its ReLU, eq. 8 is linear, so W_r [p_hh; p_th; p_ht; p_tt] is the sum of a vector that
depends on o alone and one that depends on x = o - (b - 1) alone:

    H(o) = W_hh p(o) + W_th p(o + a - 1)        T(x) = W_ht p(x) + W_tt p(x + a - 1)

In a batch, few (o, b) are distinct: R is computed once for each of them, never once a pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from fenjie.nn.lattice import Ints
from fenjie.nn.positions import encoded_distances

Distances = Literal["four", "two", "head"]
"""Which distances make R: all four (eq. 8), d_hh and d_tt, or p(d_hh) itself (FLAT_head)."""


NAMES: dict[Distances, tuple[str, ...]]
NAMES = {"four": ("hh", "th", "ht", "tt"), "two": ("hh", "tt"), "head": ("hh",)}
"""The distances by their names, in the order of eq. 8."""

MOST_CACHED = 1024
"""The longest sentence whose keys are cached."""


class SpanPositions(nn.Module):
    """R of eq. 8 for all distinct pairs of positions."""

    def __init__(self, dim: int, distances: Distances) -> None:
        super().__init__()
        self.dim, self.distances = dim, distances
        if distances != "head":
            # The columns of W_r in the order of `NAMES`.
            self.weight = nn.Parameter(torch.empty(dim, len(NAMES[distances]) * dim))
            nn.init.xavier_uniform_(self.weight)

    def forward(self, length: int, lengths: Sequence[int], reach: int, like: Tensor) -> Tensor:
        """R for queries of one length and keys of some lengths.

        Args:
            length: a, the length of the queries.
            lengths: the lengths b of the keys.
            reach: the largest distance of two heads.
            like: a tensor of the wanted type and device.

        Returns:
            `[lengths, 2 * reach + 1, dim]`; offset r is where head_j - head_i = r - reach.
        """
        rows, longest = 2 * reach + 1, max(lengths)
        # Row r is the distance reach + length - 1 - r: the distances fall from row to row.
        limit = reach + max(length, longest)
        table = _falling(limit, self.dim, like)
        first = len(table) // 2 - reach - (length - 1)
        table = table[first : first + rows + (length - 1) + (longest - 1)]
        if self.distances == "head":
            return table[length - 1 :][:rows].expand(len(lengths), -1, -1)
        heads, tails = self._tables(table, length)
        return torch.stack([heads[:rows] + tails[size - 1 :][:rows] for size in lengths]).relu_()

    def pairs(self, offsets: Ints, lengths: Ints, key_lengths: Ints, like: Tensor) -> Tensor:
        """R for some positions of a query and a key: `[pairs, dim]`.

        Args:
            offsets: o of each pair, `[pairs]`.
            lengths: a, the length of its query.
            key_lengths: b, the length of its key.
            like: a tensor of the wanted type and device.
        """
        ahead, back = lengths - 1, key_lengths - 1
        every = {
            "hh": offsets,
            "th": offsets + ahead,
            "ht": offsets - back,
            "tt": offsets - back + ahead,
        }
        distances = {name: every[name] for name in NAMES[self.distances]}
        reach = max(int(np.abs(each).max()) for each in distances.values())
        table = _falling(reach, self.dim, like)
        middle = len(table) // 2
        parts = [
            part.index_select(0, torch.from_numpy(reach - distances[name]).to(like.device))
            for name, part in self.tables(table[middle - reach : middle + reach + 1]).items()
        ]
        return parts[0] if self.distances == "head" else torch.stack(parts).sum(0).relu_()

    def maps(self) -> dict[str, Tensor]:
        """The parts of W_r by the distance that each is for, `[dim, dim]`; none for `head`."""
        if self.distances == "head":
            return {}
        names = NAMES[self.distances]
        return dict(zip(names, self.weight.chunk(len(names), dim=1), strict=True))

    def tables(self, table: Tensor) -> dict[str, Tensor]:
        """The summands of eq. 8 before its ReLU, from encodings of distances: `[…, dim]` each."""
        maps = self.maps()
        return {name: table @ part.T for name, part in maps.items()} if maps else {"hh": table}

    def _tables(self, table: Tensor, length: int) -> tuple[Tensor, Tensor]:
        """H and T from the encodings of falling distances: row r is o, or x, = reach - r."""
        shift = length - 1
        own = table[shift:]  # p(o), where `table` is p(o + a - 1)
        if self.distances == "two":
            hh, tt = self.maps().values()
            return own @ hh.T, table[: len(own)] @ tt.T
        hh, th, ht, tt = self.maps().values()
        if not shift:
            return table @ (hh + th).T, table @ (ht + tt).T
        ahead = table[: len(own)]
        return own @ hh.T + ahead @ th.T, own @ ht.T + ahead @ tt.T


class PositionKeys:
    """Projects R; in inference once for all batches, until a weight changes."""

    def __init__(self, project: nn.Linear) -> None:
        """Take W_k,R."""
        self._project = project
        self._tables: dict[int, _Table] = {}

    def __call__(
        self, positions: SpanPositions, length: int, lengths: Sequence[int], reach: int
    ) -> Tensor:
        """The keys for queries of one length; the lengths of the keys are in rising order.

        Arguments and result are otherwise those of `SpanPositions.forward`.
        """
        if torch.is_grad_enabled() or reach > MOST_CACHED:
            keys: Tensor = self._project(positions(length, lengths, reach, self._project.weight))
            return keys
        keys = self._cached(positions, length, lengths[-1], reach)
        middle = keys.shape[1] // 2
        return keys[[size - 1 for size in lengths], middle - reach : middle + reach + 1]

    def _cached(self, positions: SpanPositions, length: int, longest: int, reach: int) -> Tensor:
        """Keys of the lengths 1, 2, … up to `longest` or more, as far as `reach` or further."""
        weights = [self._project.weight, *positions.parameters()]
        table = self._tables.get(length)
        # By their numbers: a fused optimiser changes a weight and leaves its version as it is.
        if table is not None and all(map(_same, table.weights, weights)):
            if longest <= table.longest and reach <= table.reach:
                return table.keys
            longest, reach = max(longest, table.longest), max(reach, table.reach)
        reach = 1 << reach.bit_length()
        every = range(1, longest + 1)
        keys: Tensor = self._project(positions(length, every, reach, self._project.weight))
        kept = tuple(weight.detach().clone() for weight in weights)
        self._tables[length] = _Table(kept, longest, reach, keys)
        return keys


class _Table(NamedTuple):
    """Cached keys, `[longest, 2 * reach + 1, dim]`, and the weights that they were made of."""

    weights: tuple[Tensor, ...]
    longest: int
    reach: int
    keys: Tensor


def _same(one: Tensor, other: Tensor) -> bool:
    """Whether two weights have the same numbers, type and device."""
    alike = one.dtype == other.dtype and one.device == other.device
    return alike and torch.equal(one, other)


def _falling(limit: int, dim: int, like: Tensor) -> Tensor:
    """p(d) of falling distances from `limit` or more to its opposite (eq. 9 and 10).

    Many batches share the rounded limit, so that their encodings are computed once.
    """
    first = 1 << max(limit, 64).bit_length()
    return encoded_distances(first, -first, dim, like)
