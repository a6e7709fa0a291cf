"""How position enters a model: sinusoids to add, Gaussian weights to multiply."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def sinusoids(length: int, dim: int, like: Tensor) -> Tensor:
    """Encodings of the positions from 0 (Vaswani et al. 2017, section 3.5): `[length, dim]`.

    They have the type and device of `like`. Of 16 bits too few count places: these are computed in
    32.
    """
    wide = torch.promote_types(like.dtype, torch.float32)
    return encodings(torch.arange(length, device=like.device, dtype=wide), dim).to(like.dtype)


def encodings(position: Tensor, dim: int) -> Tensor:
    """The encoding of any positions or distances, negative ones included: `[...] -> [..., dim]`.

    Even columns hold sines, odd ones cosines.

    Args:
        position: the positions, of a floating-point type.
        dim: size of an encoding; even.
    """
    step = torch.arange(0, dim, 2, device=position.device, dtype=position.dtype)
    angle = position[..., None] * torch.exp(step * (-math.log(10000.0) / dim))
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)


def encoded_distances(first: int, last: int, dim: int, like: Tensor, step: int = 1) -> Tensor:
    """The encodings of all whole distances from one to another, rising or falling.

    They are computed in float64 and kept; an exported program holds them as a constant.

    Args:
        first: the first distance.
        last: the last one.
        dim: size of an encoding; even.
        like: a tensor of the wanted type and device.
        step: characters per distance of 1.

    Returns:
        `[|last - first| + 1, dim]`.
    """
    if torch.compiler.is_exporting():
        return torch.from_numpy(_constants(first, last, dim, step)).to(like.dtype)
    return _encoded(first, last, dim, step, like.dtype, like.device)


@lru_cache(maxsize=64)
def _encoded(
    first: int, last: int, dim: int, step: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    sign = 1 if first <= last else -1
    with torch.inference_mode(False):  # what is kept must also serve a later training step
        distance = torch.arange(first, last + sign, sign, dtype=torch.float64, device=device)
        return encodings(distance * step, dim).to(dtype)


@lru_cache(maxsize=32)
def _constants(first: int, last: int, dim: int, step: int) -> NDArray[np.float32]:
    """The same without PyTorch, which makes no constants while it exports."""
    sign = 1 if first <= last else -1
    rate = np.exp(np.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    angle = np.arange(first, last + sign, sign)[:, None] * step * rate
    both = np.stack((np.sin(angle), np.cos(angle)), axis=-1)
    return both.reshape(len(both), dim).astype(np.float32)


def gaussian(distance: Tensor, sigma: float) -> Tensor:
    """The weight of a key at some distance from its query (SAMS, eq. 2).

    The integral of eq. 2 in closed form: `erfc(distance / (sigma * sqrt(2)))`; 1 at distance 0.

    Args:
        distance: distances in characters, any shape, of either sign, floating point; whole numbers
            where a model is exported.
        sigma: standard deviation in characters.
    """
    if torch.compiler.is_exporting():
        # ONNX has 1 - erf alone, which rounds small weights off, and with them the order of the
        # scores of keys far away. Beyond 15 sigma they are 0 in float32.
        known = [math.erfc(d / (sigma * math.sqrt(2.0))) for d in range(math.ceil(15 * sigma) + 1)]
        table = torch.tensor(known, dtype=distance.dtype)
        return table[distance.abs().long().clamp(max=len(known) - 1)]
    weight: Tensor = torch.special.erfc(distance.abs() / (sigma * math.sqrt(2.0)))
    return weight
