"""Vectors of each word of a lexicon that occurs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy", reason="needs the extra `train`")

from fenjie.errors import FenjieError, FileError
from fenjie.lexicon import UnitVectors
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import END
from fenjie.vectors.matched import Settings, train_matched
from fenjie.vectors.texts import Source, line_bigrams
from tests.vectors.raw_text import LINES, quiet

WORDS = "北京\n京的\n工程师\n工程\n师去\n广州\n"


@pytest.fixture
def lexicon(tmp_path: Path) -> Path:
    path = tmp_path / "lexicon.txt"
    path.write_text(WORDS, encoding="utf-8")
    return path


def make(sources: list[Source], lexicon: Path, output: Path, **changed: int) -> None:
    settings = Settings(**{"dim": 4, "minimum": 1, **changed})
    work = output.with_name("work")
    train_matched(
        sources, lexicon, output, Normaliser(), settings, work=work, command="ran", report=quiet
    )


def test_each_word_that_occurs_has_a_vector(
    text: Source, annotated: Source, lexicon: Path, tmp_path: Path
) -> None:
    output = tmp_path / "vectors"
    make([text, annotated], lexicon, output)
    lines = [Normaliser()(line).text for line in LINES * 5 + ["北京的", "经理"]]
    words = UnitVectors.open(output, "words")
    counts = dict(zip(*words.units, strict=True))
    assert {word: counts[word] for word in counts if len(word) > 1} == {
        "北京": 11, "京的": 6, "工程师": 10, "工程": 10, "师去": 5
    }  # fmt: skip
    characters = Counter("".join("".join(line.split()) for line in lines))
    assert {one: counts[one] for one in counts if len(one) == 1} == characters
    table = UnitVectors.open(output, "characters")
    assert dict(zip(*table.units, strict=True)) == characters
    pairs = UnitVectors.open(output, "bigrams")
    assert dict(zip(*pairs.units, strict=True)) == Counter(
        pair for line in lines for pair in line_bigrams(line)
    )
    assert pairs.rows([f"。{END}"]) >= 0
    for one in (words, table, pairs):
        assert one.dim == 4
        assert one(np.arange(len(one))).any(axis=1).mean() > 0.9
    card = (output / "README.md").read_text(encoding="utf-8")
    assert "ran" in card and "| text | 20 |" in card and "lexicon.txt" in card


def test_words_are_read_as_the_text_is(lexicon: Path, tmp_path: Path) -> None:
    path = tmp_path / "shares.txt"
    path.write_text("买了Ａ股\n卖了A股\n", encoding="utf-8")
    lexicon.write_text("Ａ股\n买了\n", encoding="utf-8")
    make([Source(path)], lexicon, tmp_path / "vectors")
    words = UnitVectors.open(tmp_path / "vectors", "words")
    assert words.units.counts[words.rows(["A股"])].tolist() == [2]


def test_limits(text: Source, lexicon: Path, tmp_path: Path) -> None:
    make([text], lexicon, tmp_path / "few", minimum=10, bigrams=3)
    pairs = UnitVectors.open(tmp_path / "few", "bigrams")
    assert len(pairs) == 3 and pairs.units.counts.min() >= 10
    words = UnitVectors.open(tmp_path / "few", "words")
    assert words.rows(["师去"]) >= 0, "a word needs only to occur"
    with pytest.raises(FenjieError, match="none of the characters occurs 1000 times"):
        make([text], lexicon, tmp_path / "none", minimum=1000)
    lexicon.write_text("广州\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"lexicon\.txt: holds no word that the text has"):
        make([text], lexicon, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_four_bits_take_half_the_size(text: Source, lexicon: Path, tmp_path: Path) -> None:
    make([text], lexicon, tmp_path / "whole")
    make([text], lexicon, tmp_path / "half", bits=4)
    for name in ("characters", "bigrams", "words"):
        whole, half = (UnitVectors.open(tmp_path / folder, name) for folder in ("whole", "half"))
        assert np.load(tmp_path / "half" / f"{name}.npy").nbytes * 2 == whole.table.nbytes
        rows = np.arange(len(whole))
        assert whole.units.names == half.units.names
        np.testing.assert_allclose(half(rows), whole(rows), atol=0.08)


def test_the_same_text_gives_the_same_files(text: Source, lexicon: Path, tmp_path: Path) -> None:
    make([text], lexicon, tmp_path / "one")
    make([text], lexicon, tmp_path / "two")
    for path in (tmp_path / "one").glob("*.npy"):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
