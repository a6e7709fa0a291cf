"""An indexer turns texts into rows of ids."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FileError
from fenjie.lexicon import Lexicon
from fenjie.lexicon.indexer import Indexer, Sizes, ngram_columns
from fenjie.lexicon.longest import VIEWS
from fenjie.lexicon.ngrams import WINDOWS
from fenjie.text.vocabulary import RESERVED, UNKNOWN, Vocabulary, code_points

WORDS = ["中国", "国人", "中国人", "人民", "中国人民银行", "𠮷野家", "的"]


def test_indexer_columns(tmp_path: Path) -> None:
    indexer = Indexer(
        Vocabulary("中国"), Vocabulary(["中国", "国\x03"]), [Lexicon.build(WORDS)], ngrams=1024
    )
    table = indexer("中国")
    assert table[:, :2].tolist() == [[2, 2], [3, 3]]
    assert table.shape[1] == 3 + ngram_columns(indexer.sizes) == 3 + len(WINDOWS) + 2
    assert table.max() < 1024
    assert indexer("国人")[:, :2].tolist() == [[3, UNKNOWN], [UNKNOWN, UNKNOWN]]
    assert indexer("").shape == (0, table.shape[1])
    indexer.save(tmp_path)
    assert (Indexer.load(tmp_path, 1024)("中国人") == indexer("中国人")).all()


def test_indexer_of_characters_alone(tmp_path: Path) -> None:
    Indexer(Vocabulary("中")).save(tmp_path)
    assert Indexer.load(tmp_path)("中").tolist() == [[2]]
    assert [file.name for file in tmp_path.iterdir()] == ["vocab.txt"]
    with pytest.raises(FileError, match="cannot be read"):
        Indexer.load(tmp_path / "none")


def test_variants_are_read_as_what_they_stand_for(tmp_path: Path) -> None:
    plain = Indexer(Vocabulary("机器"), Vocabulary(["机器"]), [Lexicon.build(["机器"])])
    folding = Indexer(plain.characters, plain.bigrams, plain.lexicons, 0, Vocabulary(["機机"]))
    assert (folding("機器𠮷") == plain("机器𠮷")).all()
    assert (folding("机器") == plain("机器")).all()
    folding.save(tmp_path)
    assert (Indexer.load(tmp_path)("機器") == plain("机器")).all()


def test_a_standard_has_words_and_ids_of_its_own(tmp_path: Path) -> None:
    own = {"pku": Lexicon.build(["人民"]), "msr": Lexicon.build(["中国人", "中国"])}
    indexer = Indexer(Vocabulary("中国人民"), None, [Lexicon.build(WORDS)], standards=own)
    assert indexer.standards == ("pku", "msr")
    assert (indexer.sizes.lexicons, indexer.sizes.standards) == (2, 2)
    pku, msr = indexer("中国人民"), indexer.of("msr")("中国人民")
    assert (indexer.of("pku")("中国人民") == pku).all() and indexer.of(None) is indexer
    assert pku[:, 3].tolist() == [RESERVED] * 4 and msr[:, 3].tolist() == [RESERVED + 1] * 4
    assert (msr[:, 1] == pku[:, 1] + VIEWS).all()
    codes, starts = code_points("中国人民啊"), np.array([0, 0, 2, 3, 4])
    ends = np.array([2, 3, 4, 5, 5])
    assert indexer.knows(codes, starts, ends).tolist() == [True, True, True, False, True]
    alone = Indexer(indexer.characters, standards=own).of("msr")
    assert alone.knows(codes, starts, ends).tolist() == [True, True, False, False, True]
    alone = Indexer(indexer.characters, None, [Lexicon.build(WORDS), own["msr"]])("中国人民")
    assert (msr[:, 2] == alone[:, 2] + VIEWS).all() and msr.max() < indexer.sizes.views
    indexer.save(tmp_path)
    opened = Indexer.load(tmp_path, standards=("pku", "msr"))
    for name, table in (("pku", pku), ("msr", msr)):
        assert (opened.of(name)("中国人民") == table).all()


def test_standards_without_words(tmp_path: Path) -> None:
    indexer = Indexer(Vocabulary("中"), standards={"a": None, "b": None})
    assert indexer.of("b")("中").tolist() == [[2, RESERVED + 1]]
    indexer.save(tmp_path)
    assert Indexer.load(tmp_path, 0, ["a", "b"]).of("b")("中").tolist() == [[2, RESERVED + 1]]


def test_texts_side_by_side_have_the_ids_that_they_have_alone() -> None:
    indexer = Indexer(
        Vocabulary("中国人民"), Vocabulary(["中国", "民中"]), [Lexicon.build(WORDS)], ngrams=4096
    )
    texts = ["中国人民", "", "中", "人民中国"]
    together = indexer.rows(code_points("".join(texts)), np.cumsum([len(t) for t in texts]))
    assert (together == np.concatenate([indexer(text) for text in texts])).all()


def test_sizes_in_words() -> None:
    assert str(Sizes(1742)) == "1,742 characters"
    expected = "1 character, 20 bigrams, 1 lexicon, 65,536 n-gram weights"
    assert str(Sizes(1, 20, 1, 65536, 2)) == expected
