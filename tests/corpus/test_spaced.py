"""Segmented text, and its words found in the raw text."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.corpus import read, write
from fenjie.corpus.spaced import align
from fenjie.errors import FileError
from fenjie.text.span import Sentence


def test_a_text_that_starts_with_a_byte_order_mark(tmp_path: Path) -> None:
    sentence = Sentence.from_words(["\ufeff中"])
    write([sentence], tmp_path / "out", "spaced")
    assert read(tmp_path / "out", "spaced").sentences == [sentence]


def test_align() -> None:
    sentence = align("我 在\u3000New York 。", ["我", "在", "NewYork", "。"])
    assert sentence.words == ["我", "在", "New York", "。"]
    assert align(" ", []).spans == ()
    message = (
        r"gold:7: the words do not spell the text from character 2 on; found '再'; expected '在'"
    )
    with pytest.raises(FileError, match=message):
        align("我在", ["我", "再"], path="gold", line=7)
    with pytest.raises(FileError, match=r"from character 2 on; found ''; expected '在'"):
        align("我在", ["我"])
