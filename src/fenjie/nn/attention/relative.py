"""Attention among the characters of a sentence with relative positions that nothing projects.

The score of TENER (Yan, Deng, Li and Qiu 2019) and of ATSSA (Hu et al. 2022, eq. 5):
`A_ij = q_i k_j + q_i R_(i-j) + u k_j + v R_(i-j)`, where R is a sinusoid of the distance itself.

A sinusoid of a difference is a rotation of a sinusoid: with `q = (a, b)` on a pair of columns of
one frequency w,

    a sin w(i-j) + b cos w(i-j) = (b sin wi - a cos wi) sin wj + (a sin wi + b cos wi) cos wj.

So both terms of R are the product of a turned query with the encoding of the *key's place*. No
table of distances is multiplied, and nothing is shifted: scores are products of queries and keys.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.attention.selections import SelectionConfig, is_dense, make_selection, shares
from fenjie.nn.positions import encodings

Sinusoids = Literal["model", "head"]
"""The frequencies of R. `model`: p has an entry for each of the model's, and each head takes its
slice (ATSSA, eq. 3). `head`: p has the size of a head, and all heads have the same (TENER)."""

LONG = 256
"""From this length on dense attention goes block by block, which is slower for short sentences."""


class RelativeAttention(nn.Module):
    """Multi-head self-attention over padded sentences; a selection says which keys are kept."""

    def __init__(
        self,
        dim: int,
        heads: int,
        *,
        scale: bool,
        key_projection: bool,
        output_projection: bool,
        selection: SelectionConfig,
        sinusoids: Sinusoids = "model",
    ) -> None:
        """Make the projections.

        Args:
            dim: size of the vectors; an even multiple of `heads`.
            heads: attention heads.
            scale: whether scores are divided by the root of a head's size.
            key_projection: whether keys are projected; else they are slices of the vectors.
            output_projection: whether a linear map joins the heads.
            selection: which keys a query keeps.
            sinusoids: the frequencies of R.
        """
        super().__init__()
        self.heads, self.sinusoids = heads, sinusoids
        self.factor = (dim // heads) ** -0.5 if scale else 1.0
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False) if key_projection else None
        self.value = nn.Linear(dim, dim, bias=False)
        self.merge = nn.Linear(dim, dim) if output_projection else None
        self.content_bias = nn.Parameter(torch.empty(heads, dim // heads))  # u
        self.position_bias = nn.Parameter(torch.empty(heads, dim // heads))  # v
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.xavier_uniform_(weight)
        if self.merge is not None:
            nn.init.zeros_(self.merge.bias)
        self.selection = make_selection(selection, dim, heads)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Mix the values for each query.

        Args:
            x: `[batch, length, dim]`; what stands at padding changes no real position.
            mask: the real positions, `[batch, length]`, bool; at least one in each sentence.

        Returns:
            `[batch, length, dim]`; anything at padding.
        """
        # (B, N, D) -> (B, N, H, D/H)
        query = self.query(x).unflatten(-1, (self.heads, -1))
        if self.factor != 1:
            query = query * self.factor
        key = (x if self.key is None else self.key(x)).unflatten(-1, (self.heads, -1))
        value = self.value(x).unflatten(-1, (self.heads, -1))
        places = encoded_places(x.shape[1], x.shape[2], self.heads, self.sinusoids, x)
        content = query + self.content_bias * self.factor
        turned = turn(query + self.position_bias * self.factor, places)
        if x.shape[1] >= LONG and is_dense(self.selection):
            mixed = _blocks(content, turned, key, places, value, mask)
        else:
            # (B, H, N, N)
            scores = _by_head(content) @ _by_head(key).mT
            scores.add_(_by_head(turned) @ _by_head(places[None]).mT)
            if not mask.all():
                scores.masked_fill_(~mask[:, None, None, :], -torch.inf)
            share = shares(mask)
            weights = self.selection(scores, self._thresholds(x, share), share)
            mixed = _by_head(weights @ _by_head(value))
        joined = mixed.flatten(-2)
        result: Tensor = joined if self.merge is None else self.merge(joined)
        return result

    def _thresholds(self, x: Tensor, share: Tensor) -> Tensor | None:
        """Eq. 7 of ATSSA, from the share of each character in the mean: `[batch, heads, queries]`.

        None where the selection has none.
        """
        if is_dense(self.selection):
            return None
        thresholds: Tensor | None = self.selection.thresholds(x, share[:, None].to(x.dtype) @ x)
        return thresholds


def turn(query: Tensor, places: Tensor) -> Tensor:
    """Turn queries so that their product with the encoding of a place is that with R.

    Args:
        query: `[..., length, heads, size]`.
        places: the encodings of the queries' places, `[length, heads or 1, size]`, of which sines
            are the even columns.

    Returns:
        `[..., length, heads, size]`: t_i with `t_i p_j = q_i p_(i-j)`.
    """
    sine, cosine = places[..., 0::2], places[..., 1::2]
    straight = torch.stack((-cosine, cosine), dim=-1).flatten(-2)
    crossed = torch.stack((sine, sine), dim=-1).flatten(-2)
    swapped = query.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    return torch.addcmul(query * straight, swapped, crossed)


def encoded_places(length: int, dim: int, heads: int, sinusoids: Sinusoids, like: Tensor) -> Tensor:
    """p_0, p_1, …: `[length, heads or 1, dim / heads]`, of the type and device of a tensor."""
    room = 1 << max(length - 1, 63).bit_length()
    width = dim if sinusoids == "model" else dim // heads
    table = _encoded(room, width, like.dtype, like.device)
    return table[:length].view(length, -1, dim // heads)


@lru_cache(maxsize=16)
def _encoded(room: int, width: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """`[room, width]`, computed in float64."""
    with torch.inference_mode(False):  # what is kept must also serve a later training step
        distance = torch.arange(room, dtype=torch.float64, device=device)
        return encodings(distance, width).to(dtype)


def _by_head(x: Tensor) -> Tensor:
    """`[batch, length, heads, size]` to `[batch, heads, length, size]`, and back."""
    return x.transpose(1, 2)


def _blocks(
    content: Tensor, turned: Tensor, key: Tensor, places: Tensor, value: Tensor, mask: Tensor
) -> Tensor:
    """Dense attention without a matrix of all scores: memory grows with the length alone."""
    query = torch.cat((content, turned), dim=-1)
    key = torch.cat((key, places.expand_as(key)), dim=-1)
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
