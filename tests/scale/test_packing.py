"""Packed output."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from fenjie.scale.packing import Packing, packed, packing_of


def test_the_name_tells_the_packing() -> None:
    names = (None, Path("a.txt"), Path("a.jsonl.gz"), Path("a.GZ"), Path("a.xz"))
    assert [packing_of(name) for name in names] == ["", "", "gz", "gz", "xz"]


@pytest.mark.parametrize(("packing", "unpack"), [("gz", gzip.decompress), ("xz", lzma.decompress)])
def test_packed_pieces_follow_each_other(packing: Packing, unpack) -> None:
    made = b"".join(packed([b"one", b"", b"two"], packing)) + b"".join(packed([], packing))
    assert unpack(made + b"".join(packed([b"three"], packing))) == b"onetwothree"
    assert made == b"".join([*packed([b"one", b"", b"two"], packing), *packed([], packing)])
    assert list(packed([b"one", b"two"], "")) == [b"one", b"two"]
