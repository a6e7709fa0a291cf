"""What R of FLAT (eq. 8) is made of, as constants of ONNX programs."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from fenjie.export.parts import array
from fenjie.nn.attention.span_positions import SpanPositions
from fenjie.nn.positions import encodings


def position_maps(positions: SpanPositions) -> dict[str, NDArray[np.float32]]:
    """The parts of W_r by the distance that each is for, `[dim, dim]` from the right."""
    names = ("hh", "th", "ht", "tt") if positions.distances == "four" else ("hh", "tt")
    parts = positions.weight.chunk(len(names), dim=1)
    return {name: array(part).T for name, part in zip(names, parts, strict=True)}


def encoded(first: int, last: int, dim: int) -> NDArray[np.float32]:
    """The encodings of the distances from `first` to `last`, rising or falling."""
    step = 1 if first <= last else -1
    return array(encodings(torch.arange(first, last + step, step).double(), dim))
