"""Random scores of attention, and the vectors that they belong to."""

from __future__ import annotations

import torch
from torch import Tensor

HEADS, DIM = 2, 6


LENGTHS = [5, 9, 1, 2]


def sentences(seed: int = 0, spread: float = 1.0) -> tuple[Tensor, Tensor, Tensor]:
    """Inputs, scores and the mask of some sentences; something stands at padding too."""
    torch.manual_seed(seed)
    most = max(LENGTHS)
    x = torch.randn(len(LENGTHS), most, DIM, dtype=torch.float64) * spread
    scores = torch.randn(len(LENGTHS), HEADS, most, most, dtype=torch.float64) * spread
    mask = torch.arange(most) < torch.tensor(LENGTHS)[:, None]
    return x.requires_grad_(), scores.requires_grad_(), mask
