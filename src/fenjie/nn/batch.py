"""The input of a character model: padded ids and the true lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from fenjie.nn.layout import real_places
from fenjie.text.vocabulary import Ids, collate


@dataclass(frozen=True)
class Batch:
    """Texts of different lengths side by side.

    Attributes:
        ids: `[batch, length, columns]`, int64: character ids and further columns, 0 = padding.
        lengths: `[batch]`, int64: the number of characters of each text.
    """

    ids: Tensor
    lengths: Tensor

    @classmethod
    def of(cls, rows: Sequence[Ids]) -> Batch:
        """Pad the id tables (`[length, columns]` each) of some texts to one batch."""
        return cls(
            torch.from_numpy(collate(rows)),
            torch.tensor([len(row) for row in rows], dtype=torch.int64),
        )

    @cached_property
    def mask(self) -> Tensor:
        """Which positions hold a character: `[batch, length]`, bool."""
        return real_places(self.lengths, self.ids.shape[1])

    def to(self, device: torch.device | str) -> Batch:
        """The same batch on another device."""
        return Batch(self.ids.to(device), self.lengths.to(device))
