"""Which keys a query may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

Direction = Literal["forward", "center", "backward"]


def directional(directions: Sequence[Direction], offset: Tensor) -> Tensor:
    """Who sees whom by direction alone (SAMS, eq. 4).

    Args:
        directions: one entry a group. `forward` sees keys up to the query itself, `backward`
            from the query on, `center` all.
        offset: key position minus query position, any shape.

    Returns:
        `[groups, *offset.shape]`, bool.
    """
    views = {
        "forward": offset <= 0,
        "center": torch.ones_like(offset, dtype=torch.bool),
        "backward": offset >= 0,
    }
    return torch.stack([views[direction] for direction in directions])
