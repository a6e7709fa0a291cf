"""Which words of a padded lattice begin at, contain or end at each character."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from fenjie.nn.lattice import Lattice


class Incidence(NamedTuple):
    """Characters and words of each sentence in pairs: `[batch, length, words]` each, bool.

    Attributes:
        begins: whether the word begins at the character.
        inside: whether the word contains the character, its first and its last one among them.
        ends: whether the word ends at the character.
        around: whether the character is the last one before the word, or the first one after it.
    """

    begins: Tensor
    inside: Tensor
    ends: Tensor
    around: Tensor

    @classmethod
    def of(cls, lattice: Lattice) -> Incidence:
        """The pairs of a lattice; False at padding."""
        place = torch.arange(lattice.ids.shape[1], device=lattice.ids.device)[:, None]
        start, end = lattice.start[:, None], lattice.end[:, None]
        real = lattice.mask[..., None] & lattice.word_mask[:, None]
        return cls(
            (place == start) & real,
            (place >= start) & (place <= end) & real,
            (place == end) & real,
            ((place == start - 1) | (place == end + 1)) & real,
        )
