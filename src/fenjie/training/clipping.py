"""Bounds of the gradients of one step; a sparse gradient counts by the rows that it has."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor
from torch.nn.utils import get_total_norm


def clip_norm(parameters: Iterable[Tensor], most: float) -> None:
    """Bound the norm of all gradients together, as `torch.nn.utils.clip_grad_norm_` does.

    That has none for sparse gradients.
    """
    numbers = _numbers(parameters)
    factor = (most / (get_total_norm(numbers) + 1e-6)).clamp(max=1.0)
    for part in numbers:
        part.mul_(factor)


def clip_values(parameters: Iterable[Tensor], most: float) -> None:
    """Bound every number of the gradients."""
    for part in _numbers(parameters):
        part.clamp_(-most, most)


def _numbers(parameters: Iterable[Tensor]) -> list[Tensor]:
    """The numbers of the gradients, to be changed in place; of a row that is repeated, the sum."""
    found = []
    for parameter in parameters:
        if (gradient := parameter.grad) is None:
            continue
        if gradient.is_sparse:
            parameter.grad = gradient = gradient.coalesce()
            gradient = gradient.values()
        found.append(gradient)
    return found
