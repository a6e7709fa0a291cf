"""How position enters a model: sinusoids to add, Gaussian weights to multiply."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def sinusoids(length: int, dim: int, device: torch.device | None = None) -> Tensor:
    """Absolute position encodings (Vaswani et al. 2017, section 3.5).

    Args:
        length: number of positions.
        dim: size of an encoding; even.
        device: where to make them.

    Returns:
        `[length, dim]`: sines in the even columns, cosines in the odd ones.
    """
    position = torch.arange(length, device=device, dtype=torch.float32)[:, None]
    rate = torch.exp(
        torch.arange(0, dim, 2, device=device, dtype=torch.float32) * (-math.log(10000.0) / dim)
    )
    angle = position * rate
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)


def gaussian(distance: Tensor, sigma: float) -> Tensor:
    """The weight of a key at some distance from its query (SAMS, eq. 2).

    The integral of eq. 2 in closed form: `erfc(distance / (sigma * sqrt(2)))`; 1 at distance 0.

    Args:
        distance: distances in characters, any shape, of either sign.
        sigma: standard deviation in characters.
    """
    return torch.special.erfc(distance.abs() / (sigma * math.sqrt(2.0)))
