"""How a batch lies in memory: its tokens one after the other, or side by side with padding.

On a CPU, tokens without padding and a loop over blocks of them are fastest. A GPU wants rectangles:
no loop over sentences, and no step that waits for a number of the device. An exported model wants
them too, since its program is the same for all batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor

from fenjie.text.split import WINDOW

_ALWAYS = ContextVar("_ALWAYS", default=False)


def padded(like: Tensor) -> bool:
    """Whether a batch is computed with padding: on all devices but a CPU, and in an export.

    Args:
        like: any tensor of the batch.
    """
    return torch.compiler.is_exporting() or like.device.type != "cpu" or _ALWAYS.get()


def padded_reach(length: int) -> int:
    """A length that no batch exceeds: in an export, where tables are constant, a window's."""
    return WINDOW if torch.compiler.is_exporting() else length


def real_places(counts: Tensor, width: int) -> Tensor:
    """The places that hold something where the rest is padding: `[batch, width]`, bool."""
    return torch.arange(width, device=counts.device) < counts[:, None]


@contextmanager
def padding() -> Iterator[None]:
    """Within the block, compute with padding on a CPU too."""
    token = _ALWAYS.set(True)
    try:
        yield
    finally:
        _ALWAYS.reset(token)
