"""From pieces of text of any length to batches of a model, and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.text.split import windows
from fenjie.text.vocabulary import PADDING

WINDOW, OVERLAP = 256, 64
"""A piece longer than a window, in characters, is read through overlapping windows."""

BATCH = 1024
"""The most characters of one batch, padding counted; measured on one thread."""

CALL = 12
"""How many characters take the model as long as one more call does."""

Positions = NDArray[np.int64]


class Windows(NamedTuple):
    """Stretches of a long row of characters that the model reads, each for itself.

    Every position inside a piece, its first one excepted, is decided by exactly one window: that
    in which it is farthest from an edge.

    Attributes:
        start: where each window begins, `[windows]`.
        stop: the offset behind it.
        low: the first position that it decides: whether a word begins there.
        high: the offset behind the last one.
    """

    start: Positions
    stop: Positions
    low: Positions
    high: Positions

    @classmethod
    def over(cls, start: Positions, stop: Positions) -> Windows:
        """The windows over pieces that reach from `start` to `stop` each.

        Pieces of one character need no model and get no window.
        """
        length = stop - start
        short = (length > 1) & (length <= WINDOW)
        columns = [(start[short], stop[short], start[short] + 1, stop[short])]
        for first, last in zip(
            start[length > WINDOW].tolist(), stop[length > WINDOW].tolist(), strict=True
        ):
            cuts = np.array(windows(last - first, WINDOW, OVERLAP), dtype=np.int64) + first
            borders = (cuts[:-1, 1] + cuts[1:, 0]) // 2 + 1
            columns.append(
                (cuts[:, 0], cuts[:, 1], np.append(first + 1, borders), np.append(borders, last))
            )
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))


class Batch(NamedTuple):
    """The input of one call of the model.

    Attributes:
        ids: `[batch, length, columns]`, int64, 0 at padding.
        lengths: `[batch]`, int64.
        positions: for each gap the position behind it in the row of characters,
            `[batch, length - 1]`.
        decided: whether the window decides it, `[batch, length - 1]`, bool.
    """

    ids: NDArray[np.int64]
    lengths: NDArray[np.int64]
    positions: Positions
    decided: NDArray[np.bool_]


def batches(table: NDArray[np.int32], view: Windows) -> Iterator[Batch]:
    """Windows of like length together, at most `BATCH` characters a batch.

    A batch ends where a call of its own costs less than the padding up to the next length.

    Args:
        table: the ids of the whole row of characters, `[characters, columns]`.
        view: what the model reads of it.
    """
    length = view.stop - view.start
    order = np.argsort(length, kind="stable")
    for low, high in pairwise(_borders(length[order])):
        chosen = order[low:high]
        lengths = length[chosen]
        offsets = np.arange(lengths[-1])
        positions = view.start[chosen, None] + offsets
        ids = table.take(positions, axis=0, mode="clip").astype(np.int64)
        ids[offsets >= lengths[:, None]] = PADDING
        behind = positions[:, 1:]
        decided = (behind >= view.low[chosen, None]) & (behind < view.high[chosen, None])
        yield Batch(ids, lengths, behind, decided)


def _borders(lengths: NDArray[np.int64]) -> list[int]:
    """Where batches begin, and the end, for windows sorted by length."""
    borders, last = [0], 0
    for index, length in enumerate(lengths.tolist()):
        size = index - borders[-1]
        if size and ((size + 1) * length > BATCH or size * (length - last) > CALL):
            borders.append(index)
        last = length
    return [*borders, len(lengths)] if len(lengths) else []
