"""The types in which the numbers of vectors are kept: 32, 16, 8 and 4 bits each."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fenjie.errors import FenjieError, shorten

Vectors = NDArray[np.float32]

TYPES = tuple(map(np.dtype, (np.int8, np.float16, np.float32)))
"""How the numbers of a table are kept."""

_LARGEST = 127

LARGEST_HALF = 7
"""The largest number that four bits hold."""


def quantised(vectors: NDArray[Any], largest: int = _LARGEST) -> tuple[NDArray[np.int8], Vectors]:
    """Vectors as int8, and what to multiply each by: `[vectors, dim]`, `[vectors]`.

    Args:
        vectors: `[vectors, dim]`.
        largest: the largest whole number, which the largest number of each vector becomes.

    Raises:
        FenjieError: a number is not finite.
    """
    scale = (np.abs(vectors).max(axis=1, initial=0) / largest).astype(np.float32)
    if not np.isfinite(scale).all():
        raise FenjieError("a vector holds a number that is not finite")
    safe = np.where(scale > 0, scale, 1)[:, None]
    return np.clip(np.rint(vectors / safe), -largest, largest).astype(np.int8), scale


def number_type(dtype: DTypeLike) -> np.dtype[Any]:
    """A type in which vectors are kept, by its class or its name.

    Raises:
        FenjieError: it is none.
    """
    with suppress(TypeError):
        if (kept := np.dtype(dtype)) in TYPES:
            return kept
    raise FenjieError(f"vectors are kept as int8, float16 or float32; found {shorten(dtype)}")


def kept_as(vectors: NDArray[Any], dtype: np.dtype[Any]) -> tuple[NDArray[Any], Vectors | None]:
    """Vectors as this type, and what to multiply each by; see `UnitVectors.build`."""
    if dtype == np.int8:
        return quantised(vectors)
    with np.errstate(over="ignore"):
        table = vectors.astype(dtype)
    if not np.isfinite(table).all():
        raise FenjieError(f"a vector holds a number that is not finite in {table.dtype}")
    return table, None


def pack(table: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Two numbers, -8 to 7, in a byte, the first in the lower bits: `[units, dim / 2]`."""
    bits = table.view(np.uint8) & 15
    return np.asarray(bits[:, ::2] | bits[:, 1::2] << 4, dtype=np.uint8)


def unpack(packed: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Return the numbers that `pack` packed: `[units, dim]`."""
    table = np.empty((len(packed), 2 * packed.shape[1]), dtype=np.int8)
    # Shifted to the highest bits, and back with their sign.
    table[:, ::2] = (packed << 4).view(np.int8) >> 4
    table[:, 1::2] = packed.view(np.int8) >> 4
    return table
