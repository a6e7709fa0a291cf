"""What holds for every lexicon: all its words are found, as they are said to be at the moment."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fenjie.lexicon import Lexicon, UnitVectors, WordVectors, matching
from fenjie.text.vocabulary import code_points

LETTERS = st.sampled_from("甲乙丙𠮷\ud800a")
WORDS = st.lists(st.text(LETTERS, min_size=1, max_size=33), max_size=12)
SHORT = st.lists(st.text(LETTERS, min_size=2, max_size=4), max_size=8, unique=True)
TEXTS = st.lists(st.text(LETTERS, max_size=40), max_size=4)


def expected(words: set[str], texts: list[str]) -> list[tuple[int, int, str]]:
    """Every occurrence of every word, by trying them all; by length, then by start."""
    found = []
    first = 0
    for text in texts:
        for word in words:
            if 2 <= len(word) <= 31:
                starts = (at for at in range(len(text)) if text.startswith(word, at))
                found += [(first + at, first + at + len(word), word) for at in starts]
        first += len(text)
    return sorted(found, key=lambda match: (match[1] - match[0], match[0]))


def found(lexicon: Lexicon, texts: list[str]) -> list[tuple[int, int, str]]:
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    start, end, ids = lexicon.match_codes(code_points("".join(texts)), ends)
    names = [lexicon.word(number) for number in ids.tolist()]
    return list(zip(start.tolist(), end.tolist(), names, strict=True))


@given(WORDS, TEXTS, st.integers(1, 50), st.sampled_from([8, 0.001]))
def test_all_words_are_found(
    words: list[str], texts: list[str], chunk: int, lookups: float
) -> None:
    with patch.object(matching, "CHUNK", chunk), patch.object(matching, "LOOKUPS", lookups):
        assert found(Lexicon.build(words), texts) == expected(set(words), texts)


@given(SHORT, st.lists(st.tuples(st.booleans(), SHORT), max_size=4), TEXTS)
def test_the_last_word_of_the_user_holds(
    words: list[str], changes: list[tuple[bool, list[str]]], texts: list[str]
) -> None:
    lexicon, now = Lexicon.build(words), set(words)
    ids = {word: number for number, word in enumerate(lexicon)}
    for add, changed in changes:
        if add:
            lexicon.add(*changed)
            now |= set(changed)
        else:
            gone = [word for word in changed if word in lexicon]
            lexicon.remove(*gone)
            now -= set(gone)
        assert found(lexicon, texts) == expected(now, texts)
        assert set(lexicon) == now
        assert len(lexicon) == len(now)
        for word, number in zip(lexicon, lexicon.ids(list(lexicon)).tolist(), strict=True):
            assert ids.setdefault(word, number) == number


@given(st.lists(st.text(min_size=1, max_size=31), unique=True), st.sampled_from(["i1", "f2", "f4"]))
def test_tables_come_back(names: list[str], dtype: str) -> None:
    vectors = np.random.default_rng(0).normal(size=(len(names), 3))
    made = UnitVectors.build(names, [1] * len(names), vectors, np.dtype(dtype))
    with tempfile.TemporaryDirectory() as folder:
        WordVectors(made).save(folder)
        opened = WordVectors.open(Path(folder))
        assert opened.table.units.names == names
        assert (opened.table(opened.table.rows(names)) == made(np.arange(len(names)))).all()
        assert set(opened.lexicon) == {name for name in names if len(name) > 1}
