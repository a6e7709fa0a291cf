"""The words of several standards in one file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FileError
from fenjie.lexicon.lexicon import Lexicon
from fenjie.lexicon.standard_words import SHARED, load_words, save_words

WORDS = {
    "pku": ["北京", "大学", "小明"],
    "msr": ["北京大学", "北京"],
    "none": [],
    **{f"s{number}": ["大学"] for number in range(6)},
}


def test_words_come_back_to_the_standards_that_have_them(tmp_path: Path) -> None:
    save_words(tmp_path, {name: Lexicon.build(words) for name, words in WORDS.items()})
    found = load_words(tmp_path, list(WORDS))
    assert found.keys() == WORDS.keys()
    every = sorted({word for words in WORDS.values() for word in words})
    for name, lexicon in found.items():
        assert [word for word in every if word in lexicon] == sorted(WORDS[name])
        assert len(lexicon) == len(WORDS[name])


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    save_words(tmp_path, {"pku": Lexicon.build(WORDS["pku"])})
    for wrong in (np.zeros(2, np.uint8), np.zeros(3, np.float32)):
        np.save(tmp_path / SHARED, wrong)
        with pytest.raises(FileError, match=r"does not fit trained\.npy"):
            load_words(tmp_path, ["pku"])
    save_words(tmp_path, {"pku": Lexicon.build(WORDS["pku"])})
    with pytest.raises(FileError, match=r"standards\.npy: has 8 bits a word; expected at least 9"):
        load_words(tmp_path, list(WORDS))
