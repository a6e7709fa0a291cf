"""Segmented text."""

from __future__ import annotations

from pathlib import Path

from fenjie.corpus import read, write
from fenjie.text.span import Sentence


def test_a_text_that_starts_with_a_byte_order_mark(tmp_path: Path) -> None:
    sentence = Sentence.from_words(["\ufeff中"])
    write([sentence], tmp_path / "out", "spaced")
    assert read(tmp_path / "out", "spaced").sentences == [sentence]
