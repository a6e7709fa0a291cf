"""Linear maps as the systems of the papers start them."""

from __future__ import annotations

from torch import nn


def linear(inputs: int, outputs: int) -> nn.Linear:
    """A linear map that starts as Glorot and Bengio (2010) propose, its bias at 0."""
    made = nn.Linear(inputs, outputs)
    nn.init.xavier_uniform_(made.weight)
    nn.init.zeros_(made.bias)
    return made
