"""Vectors folders made richer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FileError
from fenjie.lexicon.units import UnitVectors
from fenjie.vectors.enrich import enrich, read_names

WORDS = ["北京", "今天", "北", "京", "海", "上海", "天气"]
DICTIONARY = "北京 34488 ns\n南海 3 ns\n李海 2 nr\n王海 9 nrt\n海天 9 n\n今天 99 t\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    chance = np.random.default_rng(1)
    made = tmp_path / "vectors"
    made.mkdir()
    for name, units in (("characters", "北京海"), ("bigrams", ["北京"]), ("words", WORDS)):
        rows = chance.normal(size=(len(units), 4))
        UnitVectors.build(list(units), range(len(units), 0, -1), rows).save(made, name)
    (made / "README.md").write_text("# Vectors\n", encoding="utf-8")
    (tmp_path / "dict.txt").write_text(DICTIONARY, encoding="utf-8")
    (tmp_path / "c.vec").write_text("2 3\n海 1 2 2\n天 0 0 4\n", encoding="utf-8")
    return tmp_path


def test_enrich(folder: Path) -> None:
    out = folder / "out"
    enrich(
        folder / "vectors",
        out,
        characters=folder / "c.vec",
        dictionary=folder / "dict.txt",
        minimum=4,
        words=2,
        without=None,
    )
    characters, words = (UnitVectors.open(out, name) for name in ("characters", "words"))
    assert characters.units.names == ["北", "京", "海", "天"] and characters.dim == 7
    north, _, sea, sky = characters(np.arange(4))
    np.testing.assert_allclose(sea[:3], [1 / 3, 2 / 3, 2 / 3], atol=0.01)
    np.testing.assert_allclose(np.linalg.norm(sea[3:]), 1, atol=0.01)
    assert not north[:3].any() and not sky[3:].any()
    # Two words and the characters stay; of the names, 李海 is too rare, 海天 and 今天 are none.
    assert words.units.names == ["北京", "今天", "北", "京", "海", "南海", "王海"]
    old = UnitVectors.open(folder / "vectors", "words")
    unit = lambda v: v / np.linalg.norm(v)  # noqa: E731
    sea_word = unit(old(old.rows(["海"]))[0])
    expected = unit(sea_word + unit(old(old.rows(["北京"]))[0]))
    np.testing.assert_allclose(words(words.rows(["南海"]))[0], expected, atol=0.02)
    np.testing.assert_allclose(words(words.rows(["王海"]))[0], sea_word, atol=0.02)
    assert "c.vec" in (out / "README.md").read_text(encoding="utf-8")


def test_words_that_are_left_out(folder: Path) -> None:
    out, listed = folder / "out", folder / "listed.txt"
    listed.write_text("北京\n北\n\n南京\n", encoding="utf-8")
    enrich(
        folder / "vectors",
        out,
        characters=None,
        dictionary=folder / "dict.txt",
        minimum=4,
        words=2,
        without=listed,
    )
    # Of the rest the two most frequent stay, and all characters; what a dictionary has comes back.
    words = UnitVectors.open(out, "words").units.names
    assert words == ["今天", "北", "京", "海", "北京", "南海", "王海"]
    assert "words of listed.txt are left out" in (out / "README.md").read_text(encoding="utf-8")


def test_a_bad_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "dict.txt"
    path.write_text("北京 3 ns\n上海 ns\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"dict\.txt:2: not an entry.*上海 ns"):
        list(read_names(path, 1))
