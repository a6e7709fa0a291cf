"""Mined words that are new, and those that are phrases of known ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.lexicon import Lexicon
from fenjie.text.span import Sentence
from fenjie.vectors.new_words import (
    Listed,
    free_characters,
    made_up,
    new_words,
    read_list,
    shared_words,
)

LIST = """\
共享 300 dict mined 5.0 4.0
单车 200 THUOCLcar
微博 90 mined 6.6 5.3
共享单车 80 mined 6.7 4.3
的微 60 mined 3.6 4.3
博的 50 mined 3.6 4.3
抖音 5 mined 7.4 5.3
"""


def sentences() -> list[Sentence]:
    """微 and 博 stand in words, 的 by itself."""
    kept = ["共享 的 单车", "微小 的 博士", "微博 的 博士", "微博 的 微波", "他 的 微型 车"] * 30
    return [Sentence.from_words(line.split()) for line in kept]


def test_new_words_are_neither_known_nor_rare_nor_phrases(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.txt"
    path.write_text(LIST, encoding="utf-8")
    listed = list(read_list(path))
    assert listed[0] == Listed("共享", 300, frozenset({"dict", "mined"}))
    assert [one.word for one in new_words(listed, sentences())] == ["微博"]


def test_words_that_two_dictionaries_have_and_the_segmenter_lacks() -> None:
    both, one = frozenset({"one", "two", "mined"}), frozenset({"one", "mined"})
    names = {"财报": both, "的车": both, "京东": both, "网红": one}
    listed = [Listed(word, 90, sources) for word, sources in names.items()]
    cut = [Sentence.from_words(words) for words in [["财", "报"], *[["的", "车"]] * 3]]
    found = shared_words(listed, cut, ["one", "two"], [Lexicon.build(["京东"])])
    assert [word.word for word in found] == ["财报"]  # cut once, which may be chance
    with pytest.raises(FenjieError, match="no word is from 'three'; expected some of mined, one"):
        shared_words(listed, cut, ["three"], [])


def test_a_character_that_is_often_a_word() -> None:
    words = Counter({"的": 90, "目的": 10, "车": 20, "单车": 500, "他": 5})
    assert free_characters(words) == {"的"}


def test_words_and_free_characters_side_by_side() -> None:
    known, free = {"共享", "单车", "微博"}, {"的"}
    assert made_up("共享单车", known, free) and made_up("的单车", known, free)
    assert not made_up("微博", known, free) and not made_up("单车间", known, free)


@pytest.mark.parametrize("line", ["微博", "微博 90", "微博 many mined 1 2"])
def test_a_line_of_another_file(tmp_path: Path, line: str) -> None:
    path = tmp_path / "words.txt"
    path.write_text(f"共享 300 dict\n{line}\n", encoding="utf-8")
    with pytest.raises(FileError, match="not a word") as caught:
        list(read_list(path))
    assert caught.value.line == 2 and f"found {line!r};" in str(caught.value)
