"""The vector of a character from its components, by a convolution over them."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.dropout import BitDropout
from fenjie.text.vocabulary import PADDING


class ComponentSizes(NamedTuple):
    """The sizes of a `ComponentVectors`.

    Attributes:
        units: number of ids of components.
        most: the largest number of components of a character.
    """

    units: int
    most: int


class ComponentVectors(nn.Module):
    """Convolution, ReLU and the maximum over the components of a character, then a linear map.

    Attributes:
        parts: the ids of the components of each character by its own id, `[characters, most]`.
    """

    parts: Tensor

    def __init__(
        self, characters: int, sizes: ComponentSizes, component_dim: int, dim: int, dropout: float
    ) -> None:
        """Make the layers.

        Args:
            characters: number of ids of characters.
            sizes: of the components.
            component_dim: size of the vector of a component, and number of filters.
            dim: size of the vector of a character.
            dropout: rate on the vectors of components and on those of characters.
        """
        super().__init__()
        parts = torch.full((characters, sizes.most), PADDING)
        parts[:, 0] = 1
        self.register_buffer("parts", parts)
        self.components = nn.Embedding(sizes.units, component_dim)
        self.convolution = nn.Conv1d(component_dim, component_dim, 3, padding=1)
        self.output = nn.Linear(component_dim, dim)
        self.dropout = BitDropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        """From the ids of characters `[...]` to their vectors `[..., dim]`."""
        if torch.compiler.is_exporting():  # once for all texts
            return F.embedding(ids, self._of(self.parts))
        # (..., most) -> (characters, most)
        found = self._of(self.parts[ids].flatten(0, -2))
        result: Tensor = self.dropout(found).view(*ids.shape, -1)
        return result

    def _of(self, parts: Tensor) -> Tensor:
        """`[characters, most] -> [characters, dim]`."""
        real = parts != PADDING
        x = self.dropout(self.components(parts)) * real[..., None]
        # (C, most, D) -> (C, D, most) and back
        x = self.convolution(x.transpose(1, 2)).transpose(1, 2).relu()
        # After a ReLU, 0 is no more than any real place has.
        best = (x * real[..., None]).amax(dim=1)
        result: Tensor = self.output(best)
        return result
