"""Multi-head attention within windows, with relative positions.

A window has few positions, so that its scores are no matrix product worth the name: the products of
all pairs of slots are taken element by element, which on a CPU is two to three times as fast.
Time and memory are those of `tokens * W` pairs.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from fenjie.nn.attention.base import AttentionConfig
from fenjie.nn.attention.selection import Encoded, Selected
from fenjie.nn.attention.selections import is_dense, make_selection
from fenjie.nn.attention.window_partition import Windows
from fenjie.nn.one_type import in_one_type


class WindowAttention(nn.Module):
    """The attention of one round.

    A_ij = q_i k_j + q_i R_ij + u k_j + v R_ij for the pairs of a window, then the selection, then
    the values.
    """

    def __init__(self, config: AttentionConfig) -> None:
        """Make the projections."""
        super().__init__()
        dim, heads = config.dim, config.heads
        self.heads = heads
        self.factor = (dim // heads) ** -0.5 if config.scale else 1.0
        # Of queries, values and, where they have one, keys: one matrix product.
        parts = 3 if config.key_projection else 2
        self.project = nn.Linear(dim, parts * dim, bias=config.projection_bias)
        self.merge = nn.Linear(dim, dim) if config.output_projection else None
        self.content_bias = nn.Parameter(torch.empty(heads, dim // heads))  # u
        self.position_bias = nn.Parameter(torch.empty(heads, dim // heads))  # v
        for weight in (*self.project.weight.split(dim), self.content_bias, self.position_bias):
            nn.init.xavier_uniform_(weight.data)
        if self.merge is not None:
            nn.init.xavier_uniform_(self.merge.weight)
            nn.init.zeros_(self.merge.bias)
        self.selection = make_selection(config.selection, dim, heads)

    def forward(self, x: Tensor, windows: Windows, keys: Tensor, index: Tensor) -> Encoded:
        """Mix the values for each token that takes part.

        Args:
            x: the vectors of all tokens, `[tokens, dim]`.
            windows: the windows and their tokens.
            keys: R, projected, `[positions, dim]`.
            index: which of them each pair has, `[windows or 1, size, size]`, query by key.

        Returns:
            `[queries, dim]`.
        """
        projected = self.project(x)
        if projected.shape[-1] < 3 * x.shape[-1]:
            projected = torch.cat((projected, x), dim=-1)
        # (windows * W, 3D) -> 3 times (windows, W, H, D/H)
        size, split = windows.size, (3, self.heads, -1)
        spread = _Rows.apply(  # type: ignore[no-untyped-call]
            projected, windows.take, windows.back, windows.queries
        )
        query, value, key = spread.view(-1, size, 3 * x.shape[-1]).unflatten(-1, split).unbind(2)
        # (windows, queries, keys, H)
        biases = self.content_bias, self.position_bias
        scores: Tensor = in_one_type(_Scores.apply, query, key, keys, *biases, index, self.factor)
        if len(windows.back) < len(windows.take):
            scores = scores.masked_fill(~windows.real[:, None, :, None], -torch.inf)
        weights, penalty = self._select(scores, x, windows)
        mixed: Tensor = in_one_type(_Mix.apply, weights, value)
        mixed = mixed.view(-1, x.shape[-1])
        result: Tensor = _Rows.apply(  # type: ignore[no-untyped-call]
            mixed, windows.back, None, windows.back
        )
        return Encoded(result if self.merge is None else self.merge(result), penalty)

    def _select(self, scores: Tensor, x: Tensor, windows: Windows) -> Selected:
        """The weights, `[windows, queries, keys, heads]`, as the scores.

        Thresholds are learnt from a token and the mean of its whole sentence.
        """
        if is_dense(self.selection):
            return Selected(F.softmax(scores, dim=2))
        thresholds = self.selection.thresholds(x, windows.means(x))
        if thresholds is not None:  # (H, tokens) -> (windows, H, W)
            thresholds = thresholds.T[windows.take].view(-1, windows.size, self.heads).mT
        shares = windows.shares().to(x.dtype)
        weights, penalty = self.selection(scores.permute(0, 3, 1, 2), thresholds, shares)
        return Selected(weights.permute(0, 2, 3, 1), penalty)


class _Scores(torch.autograd.Function):
    """q_i k_j + q_i R_ij + u k_j + v R_ij, as q_i (k_j + R_ij) and two small tables.

    Queries and keys are `[windows, size, heads, head_dim]`. Nothing of the size of all pairs times
    `dim` is kept for the backward pass.
    """

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        relative_keys: Tensor,
        content_bias: Tensor,
        position_bias: Tensor,
        index: Tensor,
        factor: float,
    ) -> Tensor:
        ctx.save_for_backward(query, key, relative_keys, content_bias, position_bias, index)
        ctx.factor = factor
        by_key = (key * content_bias).sum(-1)
        by_position = (_heads(relative_keys, query) * position_bias).sum(-1)
        scores = _joined(query, key, relative_keys, index).mul_(query[:, :, None]).sum(-1)
        scores.add_(by_key[:, None]).add_(_looked_up(by_position, index))
        return scores.mul_(factor) if factor != 1 else scores

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        query, key, relative_keys, content_bias, position_bias, index = ctx.saved_tensors
        gradient = gradient * ctx.factor if ctx.factor != 1 else gradient.contiguous()
        scaled = _joined(query, key, relative_keys, index).mul_(gradient[..., None])
        by_query = scaled.sum(2)
        # A pair adds its gradient times (q + u) to its key, and times (q + v) to its R.
        given = torch.mul(gradient[..., None], query[:, :, None], out=scaled)
        to_key = gradient.sum(1)
        by_key = given.sum(1) + to_key[..., None] * content_bias
        by_content_bias = (to_key[..., None] * key).sum((0, 1))
        if len(index) < len(given):  # the same pairs of slots in all windows
            given, gradient = given.sum(0), gradient.sum(0)
        rows = index.flatten()
        to_relative = gradient.new_zeros(len(relative_keys), gradient.shape[-1])
        to_relative.index_add_(0, rows, gradient.flatten(0, -2))
        by_position_bias = (to_relative[..., None] * _heads(relative_keys, query)).sum(0)
        by_relative = None
        if ctx.needs_input_grad[2]:
            by_relative = (to_relative[..., None] * position_bias).flatten(1)
            by_relative.index_add_(0, rows, given.reshape(len(rows), -1))
        return by_query, by_key, by_relative, by_content_bias, by_position_bias, None, None


class _Mix(torch.autograd.Function):
    """The values by their weights: `[windows, size, heads, head_dim]`."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor, value: Tensor) -> Tensor:
        ctx.save_for_backward(weights, value)
        return (weights[..., None] * value[:, None]).sum(2)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        weights, value = ctx.saved_tensors
        gradient = gradient[:, :, None]
        products = gradient * value[:, None]
        by_weights = products.sum(-1)
        return by_weights, torch.mul(gradient, weights[..., None], out=products).sum(1)


def _heads(relative_keys: Tensor, like: Tensor) -> Tensor:
    """`[positions, dim] -> [positions, heads, head_dim]`."""
    return relative_keys.view(-1, *like.shape[2:])


def _looked_up(table: Tensor, index: Tensor) -> Tensor:
    """`[positions, …] -> [windows or 1, size, size, …]`."""
    return table.index_select(0, index.flatten()).view(*index.shape, *table.shape[1:])


def _joined(query: Tensor, key: Tensor, relative_keys: Tensor, index: Tensor) -> Tensor:
    """k_j + R_ij: `[windows, size, size, heads, head_dim]`."""
    found = _looked_up(_heads(relative_keys, query), index)
    return found + key[:, None] if len(found) < len(key) else found.add_(key[:, None])


class _Rows(torch.autograd.Function):
    """Some rows of a table, of which none counts twice: its gradient is a copy, not a sum.

    Row n of the result is row `take[n]` of the table. Those that are read are the rows `back` of
    the result, which are the rows `rows` of the table, one by one; None for all of either, as they
    stand. All other rows of the result are empty slots, which nothing sees or reads.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, take: Tensor, back: Tensor | None, rows: Tensor | None
    ) -> Tensor:
        ctx.back, ctx.rows, ctx.count = back, rows, len(x)
        return x.index_select(0, take)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        found = gradient if ctx.back is None else gradient.index_select(0, ctx.back)
        if ctx.rows is not None:
            table = found.new_zeros(ctx.count, found.shape[1])
            found = table.index_copy_(0, ctx.rows, found)
        return found, None, None, None
