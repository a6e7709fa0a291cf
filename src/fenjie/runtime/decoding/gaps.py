"""From the scores of gaps to words, in numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fenjie.text.span import Span


def boundaries(scores: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The greedy decision of each gap: `[..., gaps, 2] -> [..., gaps]`; label 1 is a boundary."""
    return scores[..., 1] > scores[..., 0]


def spans(starts: list[int], length: int) -> tuple[Span, ...]:
    """The words that begin at `starts` and tile a text of `length` characters."""
    return tuple(map(Span, starts, [*starts[1:], length]))


def words(text: str, starts: list[int]) -> list[str]:
    """The words that begin at `starts` and tile `text`."""
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=False)]
