"""The exponential moving average of the weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Average:
    """Follows the parameters of a model: `average = d · average + (1 - d) · parameters`.

    d is the decay, at the beginning less: `min(decay, (1 + n) / (10 + n))` in update n, so that
    the first weights, which are random, are soon forgotten.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        """Start from the weights as they are."""
        self.decay = decay
        self.updates = 0
        self._names = [name for name, _ in model.named_parameters()]
        self._parameters: list[Tensor] = list(model.parameters())
        self._average = [parameter.detach().clone() for parameter in self._parameters]

    @torch.no_grad()
    def update(self) -> None:
        """Take the weights of now in."""
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        torch._foreach_lerp_(self._average, self._parameters, 1 - decay)
        self.updates += 1

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Within the block the model has the averaged weights."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    @torch.no_grad()
    def _swap(self) -> None:
        for parameter, average in zip(self._parameters, self._average, strict=True):
            kept = parameter.clone()
            parameter.copy_(average)
            average.copy_(kept)

    def state(self) -> dict[str, Tensor]:
        """The averaged weights by the names of the parameters."""
        return dict(zip(self._names, self._average, strict=True))

    @torch.no_grad()
    def load(self, state: Mapping[str, Tensor], updates: int) -> None:
        """Go on from what `state` gave after so many updates."""
        for name, average in zip(self._names, self._average, strict=True):
            average.copy_(state[name])
        self.updates = updates
