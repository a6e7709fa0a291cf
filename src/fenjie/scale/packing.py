"""Output that is packed as it is written, each piece by itself: pieces joined are a file."""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

Packing = Literal["", "gz", "xz"]

_GZIP = 16 + zlib.MAX_WBITS


def packing_of(path: Path | None) -> Packing:
    """How a file is packed, by the end of its name; `""` if it is not."""
    suffix = "" if path is None else path.suffix.lower()
    return "gz" if suffix == ".gz" else "xz" if suffix == ".xz" else ""


def packed(pieces: Iterable[bytes], packing: Packing) -> Iterator[bytes]:
    """Bytes packed as one gzip member or xz stream; the same bytes give the same, at any time."""
    if not packing:
        yield from pieces
        return
    packer = zlib.compressobj(6, wbits=_GZIP) if packing == "gz" else lzma.LZMACompressor(preset=2)
    for piece in pieces:
        if done := packer.compress(piece):
            yield done
    yield packer.flush()
