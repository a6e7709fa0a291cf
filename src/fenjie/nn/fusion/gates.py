"""Vectors mixed number by number, in shares that gates give."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


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
