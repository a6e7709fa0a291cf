"""Vectors mixed number by number, in shares that gates give."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from fenjie.nn.linear_map import linear


def mixed(gates: Sequence[Tensor], values: Sequence[Tensor]) -> Tensor:
    """The sum of some vectors, each times its share: a softmax over the sigmoids of their gates.

    Args:
        gates: the gate of each vector before its sigmoid, `[..., dim]`.
        values: the vectors, `[..., dim]`.

    Returns:
        `[..., dim]`.
    """
    shares = torch.stack(list(gates)).sigmoid().softmax(dim=0)
    return (shares * torch.stack(list(values))).sum(dim=0)


class Gate(nn.Module):
    """`g = σ(W [tanh(U x); tanh(V y)])`, then `g x + (1 - g) y`, number by number."""

    def __init__(self, dim: int) -> None:
        """Make the maps U, V and W of vectors of size `dim`."""
        super().__init__()
        self.first, self.second = linear(dim, dim), linear(dim, dim)
        self.both = linear(2 * dim, dim)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """`[..., dim]`, twice, to the same."""
        joint = torch.cat((self.first(x).tanh(), self.second(y).tanh()), dim=-1)
        result: Tensor = torch.lerp(y, x, self.both(joint).sigmoid())
        return result
