"""Many texts worked on as one row of characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fenjie.text.normalise import Normalised

SEPARATOR = "\n"
"""Stands between texts that are worked on together; nothing reaches across it."""

_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])
"""Whether a code point is whitespace; the last entry stands for all behind it, which are not."""


def is_space(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are whitespace: `[length]`."""
    return _SPACE[np.minimum(codes, len(_SPACE) - 1)]


def origins(texts: Sequence[Normalised]) -> NDArray[np.int64]:
    """For each character of normalised texts, joined by `SEPARATOR`, its place in the originals.

    Returns:
        `[length]`, never falling.
    """
    if all(text.alignment is None for text in texts):
        return np.arange(sum(len(text.text) for text in texts) + len(SEPARATOR) * (len(texts) - 1))
    places: list[NDArray[np.int64]] = []
    offset = 0
    for text in texts:
        index = np.arange(len(text.text) + len(SEPARATOR))
        if text.alignment is not None:
            here, there = text.alignment
            index = np.append(there[np.searchsorted(here, index[:-1], "right") - 1], there[-1])
        places.append(index + offset)
        offset += len(text.origin) + len(SEPARATOR)
    return np.concatenate(places)[: -len(SEPARATOR)]
