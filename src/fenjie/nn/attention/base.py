"""The attentions of taggers: their settings, their signature, and projections that they share.

An attention maps the vectors of tokens and a pattern to new vectors of the queries. The pattern is
made once per batch and shared by all layers: it holds the mask, the relative positions, and which
tokens are queries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.nn.attention.selection import Encoded, SelectionConfig
from fenjie.nn.attention.selections import make_selection
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.ranges import Size


@dataclass(frozen=True)
class HeadsConfig:
    """The sizes of any attention.

    Attributes:
        dim: size of the vectors.
        heads: attention heads.
    """

    dim: Size = 128
    heads: Size = 8


@dataclass(frozen=True)
class AttentionConfig(HeadsConfig):
    """The settings of an attention with relative positions.

    Attributes:
        scale: whether scores are divided by the root of a head's size.
        key_projection: whether keys are projected; else they are slices of the vectors.
        output_projection: whether a linear map joins the heads.
        projection_bias: whether the projections of queries, keys and values have biases.
        selection: which keys a query keeps.
        windows: where there are any, they replace attention over the whole sentence.
    """

    scale: bool = False
    key_projection: bool = True
    output_projection: bool = True
    projection_bias: bool = False
    selection: SelectionConfig = field(default_factory=SelectionConfig)
    windows: WindowConfig = field(default_factory=WindowConfig)


def check_heads(dim: int, heads: int) -> None:
    """Refuse a size of vectors that is odd or no multiple of a number of heads.

    Raises:
        FenjieError: it is.
    """
    if dim % heads or dim % 2:
        raise FenjieError(f"dim {dim} is odd or no multiple of heads {heads}")


class Projected(NamedTuple):
    """The inputs of a score of Dai et al. (2019), `[..., heads, head_dim]` each.

    Attributes:
        content: queries with the bias u, scaled.
        position: queries with the bias v, scaled.
        key: keys.
        value: values.
    """

    content: Tensor
    position: Tensor
    key: Tensor
    value: Tensor


class RelativeBase(nn.Module, ABC):
    """Multi-head attention with the score `A_ij = (q_i + u) k_j + (q_i + v) R_ij`."""

    def __init__(self, config: AttentionConfig, *, position: bool) -> None:
        """Make the projections; `position` says whether R has one."""
        super().__init__()
        dim, heads, bias = config.dim, config.heads, config.projection_bias
        self.heads = heads
        self.factor = (dim // heads) ** -0.5 if config.scale else 1.0
        self.query = nn.Linear(dim, dim, bias=bias)
        self.key = nn.Linear(dim, dim, bias=bias) if config.key_projection else None
        self.value = nn.Linear(dim, dim, bias=bias)
        if position:
            self.position = nn.Linear(dim, dim, bias=False)
        self.merge = nn.Linear(dim, dim) if config.output_projection else None
        self.content_bias = nn.Parameter(torch.empty(heads, dim // heads))  # u
        self.position_bias = nn.Parameter(torch.empty(heads, dim // heads))  # v
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.xavier_uniform_(weight)
        if self.merge is not None:
            nn.init.zeros_(self.merge.bias)
        self.selection = make_selection(config.selection, dim, heads)

    @abstractmethod
    def forward(self, x: Tensor, pattern: Any) -> Encoded:
        """Mix the values for each query.

        Args:
            x: the vectors of all tokens, `[..., dim]`.
            pattern: mask, relative positions and queries of the batch.

        Returns:
            The vectors of the queries, `[..., dim]`.
        """

    def project(self, x: Tensor, queries: Tensor) -> Projected:
        """Queries, keys and values by head, from all tokens and from the queries: `[..., dim]`."""
        split = (self.heads, -1)
        query = self.query(queries).unflatten(-1, split)
        if self.factor != 1:
            query = query * self.factor
        return Projected(
            query + self.content_bias * self.factor,
            query + self.position_bias * self.factor,
            (x if self.key is None else self.key(x)).unflatten(-1, split),
            self.value(x).unflatten(-1, split),
        )

    def joined(self, mixed: Tensor) -> Tensor:
        """The heads side by side, and projected: `[..., heads, head_dim] -> [..., dim]`."""
        side_by_side = mixed.flatten(-2)
        return side_by_side if self.merge is None else self.merge(side_by_side)


def scaled(linear: nn.Linear, factor: float = 1.0) -> tuple[Tensor, ...]:
    """The weight of a map and, where it has one, its bias, multiplied by a factor."""
    parts = (linear.weight,) if linear.bias is None else (linear.weight, linear.bias)
    return parts if factor == 1 else tuple(part * factor for part in parts)


def stacked(x: Tensor, maps: Sequence[tuple[Tensor, ...]]) -> tuple[Tensor, ...]:
    """Several linear maps in one product: `[..., inputs]` to `[..., outputs]` for each of them."""
    joined = [torch.cat(parts) for parts in zip(*maps, strict=True)]
    sizes = [parts[0].shape[0] for parts in maps]
    result: tuple[Tensor, ...] = F.linear(x, *joined).split(sizes, dim=-1)
    return result
