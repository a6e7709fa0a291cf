"""Keeps what a frozen encoder has made of each window of text, so that it reads none twice."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

KEPT = 2**31
"""The most bytes that are kept; windows that come when they are full are read each time."""


class ReadOnce:
    """The states of windows, each read by itself the first time that it comes.

    By itself, so that its states do not depend on what stood beside it then: a run that is resumed
    makes the same ones.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._states: dict[bytes, Tensor] = {}
        self._bytes = 0

    def __call__(
        self, pieces: Tensor, lengths: Tensor, read: Callable[[Tensor, Tensor], Tensor]
    ) -> Tensor:
        """The states of windows; those of padding are 0.

        Args:
            pieces: the ids of the windows' pieces, `[windows, width]`.
            lengths: the number of pieces of each window, `[windows]`.
            read: gives the states of windows, `[windows, width, dim]`, from their pieces and which
                of them are no padding, `[windows, width]`.
        """
        rows = [
            self._one(row[None, :length], read)
            for row, length in zip(pieces, lengths.tolist(), strict=True)
        ]
        made = rows[0].new_zeros((*pieces.shape, rows[0].shape[-1]))
        for place, row in zip(made, rows, strict=True):
            place[: len(row)] = row
        return made

    def _one(self, pieces: Tensor, read: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
        """The states of one window: `[1, width] -> [width, dim]`."""
        key = pieces.cpu().numpy().tobytes()
        found = self._states.get(key)
        if found is None:
            found = read(pieces, torch.ones_like(pieces, dtype=torch.bool))[0]
            if self._bytes + found.nbytes <= KEPT:
                self._states[key] = found
                self._bytes += found.nbytes
        return found
