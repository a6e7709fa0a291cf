"""Attention over a lattice by the relation of two spans, where tokens see neighbours and a pivot.

Keys and values have a vector for each relation (Shaw et al. 2018; Xiao et al. 2019). Two tokens
that do not touch each other do not see each other: they are connected by the pivot alone (Guo et
al. 2019), so that the attention has holes.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from fenjie.nn.attention.selection import Encoded
from fenjie.nn.lattice import Lattice

SELF, LEFT, RIGHT, INCLUDES, INCLUDED, CROSSES, BEFORE, AFTER = range(8)
"""The relations of a key to its query: the query itself; it ends where the query begins, begins
where that ends; lies within it, around it; overlaps with it; stands further left, further right."""

RELATIONS = 8


def relations(lattice: Lattice) -> Tensor:
    """The relation of each token (query) to each other (key): `[batch, tokens, tokens]`.

    Anything at padding.
    """
    head, tail = lattice.edges
    h, t, key_h, key_t = head[:, :, None], tail[:, :, None], head[:, None], tail[:, None]
    found = torch.full_like(h - key_h, CROSSES)
    found = found.masked_fill((h <= key_h) & (key_t <= t), INCLUDES)
    # Of two tokens with the same characters each is within the other.
    found = found.masked_fill((key_h <= h) & (t <= key_t), INCLUDED)
    found = found.masked_fill(key_t < h, BEFORE).masked_fill(key_h > t, AFTER)
    found = found.masked_fill(key_t == h - 1, LEFT).masked_fill(key_h == t + 1, RIGHT)
    place = torch.arange(head.shape[1], device=head.device)
    return found.masked_fill(place == place[:, None], SELF)


class RelationPattern(NamedTuple):
    """How the tokens of a batch see each other, and the pivot.

    Attributes:
        relation: the result of `relations`.
        seen: the keys that each token sees, `[batch, tokens, tokens]`, bool; one at least, or
            there is a pivot.
        pivot: the vector of the pivot, `[batch, dim]`; None where there is none.
    """

    relation: Tensor
    seen: Tensor
    pivot: Tensor | None

    def queries(self, x: Tensor) -> Tensor:
        """The vectors of the queries: of all tokens."""
        return x


class RelationAttention(nn.Module):
    """`e_ij = q_i (k_j + a^K_r) / sqrt(d)`, `z_i = Σ_j α_ij (v_j + a^V_r)`, by head.

    The vectors a of the relation r are the same for all heads. The pivot is a key of every token
    and has no relation.
    """

    def __init__(self, dim: int, heads: int, *, pivot: bool) -> None:
        """Make the projections; `pivot` says whether there is one."""
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(dim, 3 * dim, bias=False)
        if pivot:
            self.pivot = nn.Linear(dim, 2 * dim, bias=False)
        self.merge = nn.Linear(dim, dim)
        self.relation_keys = nn.Parameter(torch.empty(RELATIONS, dim // heads))
        self.relation_values = nn.Parameter(torch.empty(RELATIONS, dim // heads))
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.xavier_uniform_(weight)
        nn.init.zeros_(self.merge.bias)

    def forward(self, x: Tensor, pattern: RelationPattern) -> Encoded:
        """Mix the values for each token: `[batch, tokens, dim] -> [batch, tokens, dim]`."""
        relation, seen, pivot = pattern
        # (B, T, 3D) -> 3 x (B, H, T, D/H)
        q, k, v = self.project(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        q = q * q.shape[-1] ** -0.5
        index = relation[:, None].expand(-1, self.heads, -1, -1)
        # q a^K once for each relation, (B, H, T, 8), then looked up for each key
        scores = q @ k.mT + (q @ self.relation_keys.T).gather(-1, index)
        scores = scores.masked_fill(~seen[:, None], -torch.inf)
        if pivot is None:
            weights = scores.softmax(dim=-1)
            mixed = weights @ v
        else:
            # (B, 2D) -> 2 x (B, H, 1, D/H)
            own = self.pivot(pivot).unflatten(-1, (2, self.heads, 1, -1))
            key, value = own.unbind(1)
            both = torch.cat((scores, q @ key.mT), dim=-1).softmax(dim=-1)
            weights = both[..., :-1]
            mixed = weights @ v + both[..., -1:] * value
        # Σ_j α_ij a^V_r is the sum of the weights of each relation times its vector.
        by_relation = weights.new_zeros(*weights.shape[:-1], RELATIONS)
        by_relation = by_relation.scatter_add(-1, index, weights)
        mixed = mixed + by_relation @ self.relation_values
        return Encoded(self.merge(mixed.transpose(1, 2).flatten(2)))


class PivotAttention(nn.Module):
    """The pivot takes in all tokens and itself."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim, bias=False)
        self.keys = nn.Linear(dim, 2 * dim, bias=False)
        self.merge = nn.Linear(dim, dim)
        for linear in (self.query, self.keys, self.merge):
            nn.init.xavier_uniform_(linear.weight)
        nn.init.zeros_(self.merge.bias)

    def forward(self, pivot: Tensor, x: Tensor, mask: Tensor) -> Tensor:
        """Mix the values for the pivot.

        Args:
            pivot: its vector, `[batch, dim]`.
            x: the vectors of the tokens, `[batch, tokens, dim]`.
            mask: the real tokens, `[batch, tokens]`.

        Returns:
            `[batch, dim]`.
        """
        x = torch.cat((pivot[:, None], x), dim=1)
        mask = torch.cat((torch.ones_like(mask[:, :1]), mask), dim=1)
        # (B, 1 + T, 2D) -> 2 x (B, H, 1 + T, D/H)
        key, value = self.keys(x).unflatten(-1, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        query = self.query(pivot).unflatten(-1, (self.heads, 1, -1))
        scores = query @ key.mT * query.shape[-1] ** -0.5
        weights = scores.masked_fill(~mask[:, None, None], -torch.inf).softmax(dim=-1)
        result: Tensor = self.merge((weights @ value).flatten(1))
        return result
