"""Dropout with a small mask."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Dropout(nn.Module):
    """Dropout (Srivastava et al. 2014). Its mask is a byte an element also on a CPU."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        """Set elements to 0 at random and scale the others up; in evaluation nothing happens."""
        if not self.training or not self.rate:
            return x
        result: Tensor = torch.native_dropout(x, self.rate, True)[0]
        return result
