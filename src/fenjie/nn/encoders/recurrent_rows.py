"""The order in which a bidirectional recurrent network reads a batch, and helpers of its loops."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor


class Step(NamedTuple):
    """The rows of one step.

    Attributes:
        live: number of sentences it reads.
        before: the first row of the step before; 0 at the first step.
        first: the first row.
        stop: the row after the last one.
    """

    live: int
    before: int
    first: int
    stop: int


class Rows(NamedTuple):
    """The characters of a batch in the order of the steps, without padding.

    Step t reads character t of each sentence from the left, and from the right. A *row* is a
    character in one direction. Rows stand by step; in a step by direction; in it by sentence, the
    longest first: so the sentences that go on are always the first ones.

    Attributes:
        steps: the steps.
        edges: where each direction of each step begins, and the end: `[2 * steps + 1]`.
        rank: the index of each sentence among the rows of a step and direction, `[batch]`.
        row: the character of each row, as twice its index among all of the batch, plus the
            direction: `[2 * characters]`.
        before: the row of the character before it; 0 where there is none.
    """

    steps: list[Step]
    edges: Tensor
    rank: Tensor
    row: Tensor
    before: Tensor

    @classmethod
    def of(cls, lengths: Tensor) -> Rows:
        """The order of sentences: `[batch]`."""
        device = lengths.device
        rank = torch.empty_like(lengths)
        order = lengths.argsort(descending=True, stable=True)
        rank[order] = torch.arange(len(lengths), device=device)
        longest = int(lengths.max()) if len(lengths) else 0
        live = (torch.arange(longest, device=device)[:, None] < lengths).sum(1)
        base = 2 * (live.cumsum(0) - live)
        edges = torch.stack((base, base + live), dim=1).view(-1)
        edges = torch.cat((edges, 2 * lengths.sum()[None]))
        sentence = torch.repeat_interleave(lengths)
        position = (
            torch.arange(len(sentence), device=device) - (lengths.cumsum(0) - lengths)[sentence]
        )
        turned = lengths[sentence] - 1 - position
        # (C, 2): steps, and rows, of each character in each direction
        step, direction = torch.stack((position, turned), dim=1), torch.arange(2, device=device)
        rows = edges[2 * step + direction] + rank[sentence][:, None]
        before = edges[2 * (step - 1).clamp(min=0) + direction] + rank[sentence][:, None]
        row = rows.view(-1).argsort()
        bounds = edges.tolist()
        steps = [
            Step((stop - first) // 2, bounds[max(2 * t - 2, 0)], first, stop)
            for t, (first, stop) in enumerate(pairwise(bounds[::2]))
        ]
        before = before.view(-1)[row].masked_fill(
            torch.arange(len(row), device=device) < 2 * len(lengths), 0
        )
        return cls(steps, edges, rank, row, before)


def unordered(values: Tensor, order: Tensor) -> Tensor:
    """Put each row of `values` at the index that `order` names."""
    result = torch.empty_like(values)
    result[order] = values
    return result


def by_direction(left: Tensor, right: Tensor, order: Tensor) -> Tensor:
    """`left^T right` over the rows of each direction: `[rows, a]`, `[rows, b]` to `[2, a, b]`.

    The numbers of `order`, `[rows]`, are odd at the rows of the second direction.
    """
    backwards = order % 2 == 1
    products = (left[chosen].t() @ right[chosen] for chosen in (~backwards, backwards))
    return torch.stack(tuple(products))


def arrays(*tensors: Tensor) -> tuple[Any, list[Any]]:
    """The library for the loops, and the arrays that it computes on.

    Small operations cost numpy a fraction of their time in torch; so on the CPU the loops compute
    with numpy, on the memory of the same tensors.
    """
    if tensors[0].device.type == "cpu":
        return np, [tensor.numpy() for tensor in tensors]
    return torch, list(tensors)


def to_sigmoid(half: Any) -> None:
    """Make sigmoids of the tanh of half their arguments."""
    half *= 0.5
    half += 0.5
