"""Keeps what a frozen encoder has made of each window of text, so that it reads none twice."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

SHARE = 0.25
"""The most that is kept, of the memory of the device; windows that come then are read each time."""

CONTAINER = Path("/sys/fs/cgroup/memory.max")
"""Where Linux says how much memory a container may use."""


class ReadOnce:
    """The states of windows, each read by itself the first time that it comes.

    By itself, so that its states do not depend on what stood beside it then: a run that is resumed
    makes the same ones.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._states: dict[bytes, Tensor] = {}
        self._left: float | None = None

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
            if self._left is None:
                self._left = SHARE * memory(found.device)
            if found.nbytes <= self._left:
                self._states[key] = found
                self._left -= found.nbytes
        return found


def memory(device: torch.device) -> int:
    """The bytes of memory of a device; of a processor 8 GiB where it does not say.

    A container may have less than its machine.
    """
    if device.type == "cuda":
        return int(torch.cuda.get_device_properties(device).total_memory)
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        there = 8 << 30
    try:
        return min(there, int(CONTAINER.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no container, or one without a limit
        return there
