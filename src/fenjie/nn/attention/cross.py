"""Attention of MECT's Cross-Transformer: queries of one stream, keys and values of another."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.attention.base import AttentionConfig, RelativeBase
from fenjie.nn.attention.padded_spans import PaddedSpans
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.lattice import Lattice


class Crossed(NamedTuple):
    """The other stream, and the positions of the tokens of this one.

    Attributes:
        other: the vectors of the characters in the other stream, `[batch, length, dim]`.
        spans: the positions; the characters alone are queries.
    """

    other: Tensor
    spans: PaddedSpans

    def queries(self, x: Tensor) -> Tensor:
        """The vectors of the characters in this stream."""
        return self.spans.queries(x)


class CrossAttention(RelativeBase):
    """`A_ij = (q_i + u) k_j + (q_i + v) R_ij + B_ij`, where q is of the other stream.

    B, the random attention, is a matrix of its own for each head, by the places of both tokens.
    """

    def __init__(self, dim: int, heads: int, places: int) -> None:
        """Make the projections: keys have none, and none joins the heads.

        Args:
            dim: size of the vectors.
            heads: attention heads.
            places: number of rows and columns of B; further tokens have none. 0 for no B.
        """
        config = AttentionConfig(
            dim=dim,
            heads=heads,
            key_projection=False,
            output_projection=False,
            projection_bias=True,
        )
        super().__init__(config, position=True)
        self.random: nn.Parameter | None = None
        if places:
            self.random = nn.Parameter(torch.empty(heads, places, places))
            nn.init.kaiming_normal_(self.random, a=5**0.5)

    def forward(self, x: Tensor, pattern: Crossed) -> Encoded:
        """Mix the values for each character.

        Args:
            x: the vectors of the tokens, `[batch, tokens, dim]`.
            pattern: the other stream, and the positions of the tokens.

        Returns:
            `[batch, length, dim]`.
        """
        other, spans = pattern
        # (B, N, H, D/H)
        content, position, key, value = self.project(x, other)
        scores = content.transpose(1, 2) @ key.permute(0, 2, 3, 1)
        scores = scores + spans.position_scores(position.flatten(2), self.heads, self.position)
        if self.random is not None:
            scores = scores + random_scores(self.random, spans.lattice)
        weights = (scores + spans.bias).softmax(dim=-1)
        return Encoded(self.joined((weights @ value.transpose(1, 2)).transpose(1, 2)))


def random_scores(random: Tensor, lattice: Lattice) -> Tensor:
    """B for the characters as queries and all tokens as keys.

    The places of a sentence are those of its characters, then those of its words in the order of
    their first and last characters. Where B has no row or column it is 0.

    Args:
        random: B, `[heads, places, places]`.
        lattice: the batch.

    Returns:
        `[batch, heads, length, tokens]`.
    """
    places, length = random.shape[1], lattice.ids.shape[1]
    # One more row and column, of zeros, stand for all places behind the last one.
    wide = F.pad(random, (0, 1, 0, 1))
    place = torch.arange(length, device=random.device)
    rows = F.embedding(place.clamp(max=places), wide.transpose(0, 1).flatten(1))
    rows = rows.unflatten(-1, (wide.shape[0], places + 1))
    columns = place.expand(lattice.ids.shape[0], -1)
    if lattice.has_words:
        columns = torch.cat((columns, lattice.lengths[:, None] + word_ranks(lattice)), dim=1)
    columns = columns.clamp(max=places)
    # (N, H, P) -> (P, N, H) -> (B, T, N, H) -> (B, H, N, T)
    by_column = rows.permute(2, 0, 1)
    found = F.embedding(columns, by_column.flatten(1)).unflatten(-1, by_column.shape[1:])
    result: Tensor = found.permute(0, 3, 2, 1)
    return result


def word_ranks(lattice: Lattice) -> Tensor:
    """The place of each word among those of its sentence by first, then by last character.

    `[batch, words]`; anything at padding.
    """
    start, end = lattice.start, lattice.end
    one, other = start[:, :, None], start[:, None]
    before = (other < one) | ((other == one) & (end[:, None] < end[:, :, None]))
    return (before & lattice.word_mask[:, None]).sum(dim=-1)
