"""Tables of vectors: kept small, opened at once, and never an error for an unknown word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FenjieError
from fenjie.lexicon import UnitVectors, WordVectors
from fenjie.lexicon.word_vectors import EveryWord

NAMES = ["的", "中国", "中", "国人", "中国人", "a b", "\u3000\\", "\ud800\n", "\x03"]
VECTORS = np.random.default_rng(0).normal(size=(len(NAMES), 8)).astype(np.float32)
COUNTS = [90, 80, 70, 60, 50, 40, 30, 20, 0]


def table(dtype: type = np.int8) -> UnitVectors:
    return UnitVectors.build(NAMES, COUNTS, VECTORS, dtype)


def test_words_of_one_character_are_not_matched(tmp_path: Path) -> None:
    WordVectors(table()).save(tmp_path)
    words = WordVectors.open(tmp_path)
    start, end, ids = words.lexicon.match("中国人的")
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == [(0, 2), (1, 3), (0, 3)]
    assert words.rows(ids).tolist() == [1, 3, 4]
    assert np.allclose(words(ids), VECTORS[[1, 3, 4]], atol=0.03)


def test_words_without_a_vector() -> None:
    words = WordVectors(table(np.float32), np.full(8, 9, np.float32))
    words.lexicon.add("中的", "中民", "民生")
    start, _, ids = words.lexicon.match("中国中的中民民生")
    assert start.tolist() == [0, 2, 4, 6]
    means = [VECTORS[1], (VECTORS[0] + VECTORS[2]) / 2, VECTORS[2], np.full(8, 9)]
    assert np.allclose(words(ids), means)
    assert np.allclose(words(ids), means)  # again: they are kept
    assert np.allclose(words(np.array([words.lexicon.size])), 9)
    assert words(np.empty(0, np.int64)).shape == (0, 8)


def test_the_vector_of_unknown_words_is_kept(tmp_path: Path) -> None:
    WordVectors(table(), np.arange(8, dtype=np.float32)).save(tmp_path)
    assert WordVectors.open(tmp_path).unknown.tolist() == list(range(8))
    with pytest.raises(FenjieError, match=r"shape \(3,\); expected \(8,\)"):
        WordVectors(table(), np.zeros(3, np.float32))


def test_words_have_names(tmp_path: Path) -> None:
    WordVectors(table()).save(tmp_path)
    words = WordVectors.open(tmp_path)
    assert set(words.lexicon) == set(NAMES) - {"的", "中", "\x03"}
    _, _, ids = words.lexicon.match("a b中国")
    assert [words.lexicon.word(number) for number in ids] == ["中国", "a b"]
    words.lexicon.remove("中国")
    assert "中国" not in words.lexicon


def test_other_vectors_for_some_words() -> None:
    words = WordVectors(table())
    ids = words.lexicon.ids(["中国", "国人"])
    tuned = words.with_rows(ids, np.full((2, 8), 7.0))
    assert np.allclose(tuned(ids), 7)
    other = tuned.lexicon.ids(["中国人"])
    assert (tuned(other) == words(other)).all()


def test_a_copy_has_words_of_its_own() -> None:
    words = WordVectors(table())
    words.lexicon.add("中国的")
    other = words.copy()
    other.lexicon.add("的人")
    other.lexicon.remove("中国的", "国人")
    assert "的人" not in words.lexicon and {"中国的", "国人"} <= set(words.lexicon)
    assert (words.lexicon.size, other.lexicon.size) == (
        words.lexicon.fixed + 1,
        words.lexicon.fixed + 2,
    )
    words.lexicon.add("人中")
    number = words.lexicon.ids(["人中"])
    assert number == other.lexicon.ids(["的人"])
    assert not np.allclose(words(number), other(number))


def test_words_of_one_character_of_a_copy() -> None:
    words = WordVectors(table())
    every, other = EveryWord(words), words.copy()
    other.lexicon.remove("中国")
    assert len(every.of(other).match("中国")[0]) == len(every.match("中国")[0]) - 1
