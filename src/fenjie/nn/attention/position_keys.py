"""The position keys W_k,R R of eq. 11: in training computed for a batch, else remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from fenjie.nn.attention.span_positions import SpanPositions

REMEMBERED = 1024
"""Keys for longer sentences are not remembered."""


class PositionKeys:
    """Projects R; where no gradient is wanted, once for all batches until a weight changes."""

    def __init__(self, project: nn.Linear) -> None:
        """Take W_k,R."""
        self._project = project
        self._tables: dict[int, _Table] = {}

    def __call__(
        self, positions: SpanPositions, length: int, lengths: Sequence[int], reach: int
    ) -> Tensor:
        """The keys for queries of one length.

        Args:
            positions: what makes R.
            length: the length of the queries.
            lengths: the lengths of the keys, rising.
            reach: the largest distance of two heads.

        Returns:
            `[lengths, 2 * reach + 1, dim]`; offset r is where head_j - head_i = r - reach.
        """
        if torch.is_grad_enabled() or reach > REMEMBERED:
            keys: Tensor = self._project(positions(length, lengths, reach, self._project.weight))
            return keys
        keys = self._remembered(positions, length, lengths[-1], reach)
        middle = keys.shape[1] // 2
        return keys[[size - 1 for size in lengths], middle - reach : middle + reach + 1]

    def _remembered(
        self, positions: SpanPositions, length: int, longest: int, reach: int
    ) -> Tensor:
        """Keys of the lengths 1, 2, … up to `longest` or more, as far as `reach` or further."""
        weights = [self._project.weight, *positions.parameters()]
        state = [(weight.data_ptr(), weight._version) for weight in weights]
        table = self._tables.get(length)
        if table is not None and table.state == state:
            if longest <= table.longest and reach <= table.reach:
                return table.keys
            longest, reach = max(longest, table.longest), max(reach, table.reach)
        reach = 1 << reach.bit_length()
        every = range(1, longest + 1)
        keys: Tensor = self._project(positions(length, every, reach, self._project.weight))
        self._tables[length] = _Table(state, longest, reach, keys)
        return keys


class _Table(NamedTuple):
    """Remembered keys.

    Attributes:
        state: where the weights lie that made them, and how often these were changed.
        longest: the greatest length of a key.
        reach: the largest distance of two heads.
        keys: `[longest, 2 * reach + 1, dim]`.
    """

    state: list[tuple[int, int]]
    longest: int
    reach: int
    keys: Tensor
