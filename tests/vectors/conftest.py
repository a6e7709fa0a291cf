"""Sources of raw and of annotated text."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from fenjie.vectors.texts import Source
from tests.vectors.raw_text import LINES


@pytest.fixture
def text(tmp_path: Path) -> Source:
    path = tmp_path / "text"
    path.write_bytes(lzma.compress("\n".join(LINES * 5).encode()))
    return Source(path)


@pytest.fixture
def annotated(tmp_path: Path) -> Source:
    path = tmp_path / "train.bmes"
    path.write_text("北 B-LOC\n京 E-LOC\n的 O\n\n经 O\n理 O\n", encoding="utf-8")
    return Source(path, annotated=True)
