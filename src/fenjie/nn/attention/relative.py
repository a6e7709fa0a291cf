"""Attention among the characters of a sentence with relative positions that are not projected.

The score of TENER (Yan, Deng, Li and Qiu 2019) and of ATSSA (Hu et al. 2022, eq. 5):
`A_ij = q_i k_j + q_i R_(i-j) + u k_j + v R_(i-j)`, where R is a sinusoid of the distance itself.

A sinusoid of a difference is a rotation of a sinusoid: with `q = (a, b)` on a pair of columns of
one frequency w,

    a sin w(i-j) + b cos w(i-j) = (b sin wi - a cos wi) sin wj + (a sin wi + b cos wi) cos wj.

So both terms of R are the product of a turned query with the encoding of the *key's position*. No
table of distances is multiplied, and nothing is shifted: scores are products of queries and keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from fenjie.nn.attention.base import AttentionConfig, RelativeBase, scaled, stacked
from fenjie.nn.attention.selection import Encoded, shares
from fenjie.nn.attention.selections import is_dense
from fenjie.nn.layout import padded, padded_reach
from fenjie.nn.positions import encoded_distances

Sinusoids = Literal["model", "head"]
"""The frequencies of R. `model`: p has an entry for each of the model's, and each head takes its
slice (ATSSA, eq. 3). `head`: p has the size of a head, and all heads have the same (TENER)."""

LONG = 256
"""From this length on dense attention goes block by block, which is slower for short sentences."""


@dataclass(frozen=True)
class CharacterPattern:
    """The pattern of characters: all are queries, and keys of each other.

    Attributes:
        mask: the real positions, `[batch, length]`, bool; at least one in each sentence.
    """

    mask: Tensor

    def queries(self, x: Tensor) -> Tensor:
        """All vectors."""
        return x


class RelativeAttention(RelativeBase):
    """Multi-head self-attention over padded sentences; a selection says which keys are kept."""

    def __init__(self, config: AttentionConfig, sinusoids: Sinusoids = "model") -> None:
        """Make the projections for R of some frequencies; heads have an even size."""
        super().__init__(config, position=False)
        self.sinusoids = sinusoids

    def forward(self, x: Tensor, pattern: CharacterPattern) -> Encoded:
        """Mix the values for each query.

        Args:
            x: `[batch, length, dim]`; the vectors at padding change no real position.
            pattern: the real positions.

        Returns:
            `[batch, length, dim]`; anything at padding.
        """
        if padded(x):
            return self._padded(x, pattern.mask)
        mask = pattern.mask
        # (B, N, D) -> (B, N, H, D/H)
        content, position, key, value = self.project(x, x)
        encoded = encoded_positions(x.shape[1], x.shape[2], self.heads, self.sinusoids, x)
        turned = turn(position, encoded)
        if x.shape[1] >= LONG and is_dense(self.selection):
            return Encoded(self.joined(_blocks(content, turned, key, encoded, value, mask)))
        # (B, H, N, N)
        scores = _by_head(content) @ _by_head(key).mT
        scores.add_(_by_head(turned) @ _by_head(encoded[None]).mT)
        if not mask.all():
            scores.masked_fill_(~mask[:, None, None, :], -torch.inf)
        share = shares(mask)
        weights, penalty = self.selection(scores, self._thresholds(x, share), share)
        mixed = _by_head(weights @ _by_head(value))
        return Encoded(self.joined(mixed), penalty)

    def _padded(self, x: Tensor, mask: Tensor) -> Encoded:
        """The same in few large products; in an export tables of positions are constants."""
        length, dim = x.shape[1], x.shape[2]
        split = (self.heads, dim // self.heads)
        maps = [scaled(self.query, self.factor)]
        maps.append(tuple(part.unflatten(0, (-1, 2)).flip(1).flatten(0, 1) for part in maps[0]))
        maps += [scaled(part) for part in (self.value, self.key) if part is not None]
        query, swapped, value, *keys = stacked(x, maps)
        encoded = encoded_positions(padded_reach(length), dim, self.heads, self.sinusoids, x)
        # `turn`, of a query and of v
        straight, crossed = (part.expand(-1, *split).flatten(1) for part in turns(encoded))
        turned_bias = turn(self.position_bias * self.factor, encoded).flatten(1)
        turned = query * straight[:length] + swapped * crossed[:length] + turned_bias[:length]
        content = query + self.content_bias.flatten() * self.factor
        # (B, H, N, 2 D/H + 1) x (B, H, 2 D/H + 1, N): query, turned query and 1 times key, its
        # position, and what hides it
        shape = (x.shape[0], length, self.heads)
        one, hidden = x.new_ones(1), torch.where(mask, 0.0, -torch.inf)[..., None, None]
        left = (content.unflatten(-1, split), turned.unflatten(-1, split), one.expand(*shape, 1))
        key = (keys[0] if keys else x).unflatten(-1, split)
        right = (key, encoded[:length].expand(*shape, -1), hidden.expand(*shape, 1))
        scores = _by_head(torch.cat(left, -1)) @ torch.cat(right, -1).permute(0, 2, 3, 1)
        share = shares(mask)
        weights, penalty = self.selection(scores, self._thresholds(x, share), share)
        mixed = _by_head(weights @ _by_head(value.unflatten(-1, split)))
        return Encoded(self.joined(mixed), penalty)

    def _thresholds(self, x: Tensor, share: Tensor) -> Tensor | None:
        """Eq. 7 of ATSSA, from the share of each character in the mean: `[batch, heads, queries]`.

        None where the selection has none.
        """
        if is_dense(self.selection):
            return None
        thresholds: Tensor | None = self.selection.thresholds(x, share[:, None].to(x.dtype) @ x)
        return thresholds


def turn(query: Tensor, encoded: Tensor) -> Tensor:
    """Turn queries so that their product with the encoding of a position is that with R.

    Args:
        query: `[..., length, heads, size]`; so is the result, t_i with `t_i p_j = q_i p_(i-j)`.
        encoded: the encodings of the queries' positions, `[length, heads or 1, size]`, of which
            sines are the even columns.
    """
    straight, crossed = turns(encoded)
    swapped = query.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    return torch.addcmul(query * straight, swapped, crossed)


def turns(encoded: Tensor) -> tuple[Tensor, Tensor]:
    """The factors of `turn` for queries, and for their swapped entries; each as `encoded`."""
    sine, cosine = encoded[..., 0::2], encoded[..., 1::2]
    straight = torch.stack((-cosine, cosine), dim=-1).flatten(-2)
    return straight, torch.stack((sine, sine), dim=-1).flatten(-2)


def encoded_positions(
    length: int, dim: int, heads: int, sinusoids: Sinusoids, like: Tensor
) -> Tensor:
    """p_0, p_1, …: `[length, heads or 1, dim / heads]`, of the type and device of a tensor."""
    size = dim // heads
    width = dim if sinusoids == "model" else size
    count = 1 << max(length - 1, 63).bit_length()
    return encoded_distances(0, count - 1, width, like)[:length].view(length, -1, size)


def _by_head(x: Tensor) -> Tensor:
    """`[batch, length, heads, size]` to `[batch, heads, length, size]`, and back."""
    return x.transpose(1, 2)


def _blocks(
    content: Tensor, turned: Tensor, key: Tensor, encoded: Tensor, value: Tensor, mask: Tensor
) -> Tensor:
    """Dense attention without a matrix of all scores: memory grows with the length alone."""
    query = torch.cat((content, turned), dim=-1)
    key = torch.cat((key, encoded.expand_as(key)), dim=-1)
    # The blocked kernel wants values as wide as keys.
    wide = F.pad(value, (0, value.shape[-1]))
    hidden = content.new_zeros(mask.shape).masked_fill(~mask, -torch.inf)[:, None, None, :]
    mixed = F.scaled_dot_product_attention(
        _by_head(query),
        _by_head(key),
        _by_head(wide),
        attn_mask=hidden.expand(-1, -1, mask.shape[1], -1),
        scale=1.0,
    )
    return _by_head(mixed)[..., : value.shape[-1]]
