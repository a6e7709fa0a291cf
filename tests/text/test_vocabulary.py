"""Vocabularies, bigrams and the stacking of ids."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.text.vocabulary import (
    PADDING,
    RESERVED,
    UNKNOWN,
    Vocabulary,
    bigrams,
    code_points,
    collate,
    text_of,
)


@pytest.mark.slow
def test_every_unit_comes_back(tmp_path: Path) -> None:
    odd = "\\axuU0 \n\r\t\x00\x03\ud800\udfff\ufeff\u2028\u3000中é"
    units = [*map(chr, range(sys.maxunicode + 1)), *(a + b for a in odd for b in odd)]
    units += [r"\x41", r"\\x41", r"\u0041", r"\U00000041", "\\\\\\"]
    Vocabulary(units).save(tmp_path / "vocab.txt")
    assert Vocabulary.load(tmp_path / "vocab.txt").units == tuple(units)


def test_common_units_stay_readable(tmp_path: Path) -> None:
    Vocabulary(["中", "a", "，", "é", "\\", " ", "a\x03"]).save(tmp_path / "vocab.txt")
    assert (tmp_path / "vocab.txt").read_text(encoding="utf-8").split("\n") == [
        "中", "a", "，", "é", r"\\", r"\u0020", r"a\u0003", ""
    ]  # fmt: skip


def test_counting() -> None:
    vocabulary = Vocabulary.count("bbaacccd", minimum=2, limit=2)
    assert vocabulary.units == ("c", "a")
    assert len(vocabulary) == 2 + RESERVED
    assert "c" in vocabulary
    assert "d" not in vocabulary
    assert vocabulary.ids("cad").tolist() == [RESERVED, RESERVED + 1, UNKNOWN]


@pytest.mark.parametrize("units", [["a", "a"], ["a", ""]])
def test_bad_units(units: list[str]) -> None:
    with pytest.raises(FenjieError, match="empty or repeated"):
        Vocabulary(units)


@pytest.mark.parametrize("content", ["a\n\nb\n", "a\nb\na\n", "a\n\\u0061\n"])
def test_bad_files(tmp_path: Path, content: str) -> None:
    (tmp_path / "vocab.txt").write_text(content)
    with pytest.raises(FileError, match=r"vocab.txt:[23]: empty or repeated unit"):
        Vocabulary.load(tmp_path / "vocab.txt")


def test_code_points_come_back() -> None:
    text = "中é\ud800\U0001f600\0"
    assert code_points(text).tolist() == list(map(ord, text))
    assert text_of(code_points(text)) == text
    assert text_of(code_points("")) == ""


def test_bigrams() -> None:
    assert bigrams("abc") == ["ab", "bc", "c\x03"]
    assert bigrams("") == []


def test_collate() -> None:
    rows = [np.ones((2, 1), np.int64), np.ones((0, 1), np.int64)]
    assert collate(rows).tolist() == [[[1], [1]], [[PADDING], [PADDING]]]
    assert collate([np.array([5])], fill=-100).tolist() == [[5]]
    with pytest.raises(FenjieError, match="empty batch"):
        collate([])
