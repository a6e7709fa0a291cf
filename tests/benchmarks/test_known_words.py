"""Words that are added to a segmenter."""

from __future__ import annotations

import shutil
from pathlib import Path

import fenjie
from benchmarks.known_words import add
from fenjie.lexicon import Lexicon
from fenjie.lexicon.standard_words import load_words
from fenjie.runtime.folder import ModelFolder

NEW = "壹贰叁公司"


def test_added_words_are_known_to_each_standard_and_others_stay(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(fenjie.load("segment").folder.path, folder)
    names = ModelFolder.open(folder).standards
    before = {name: len(words) for name, words in load_words(folder, names).items()}
    old = fenjie.load(folder)("他在北京工作。")
    assert add(folder, [NEW, "北京"]) == 1
    after = load_words(folder, names)
    assert {name: len(words) for name, words in after.items()} == {
        name: number + 1 for name, number in before.items()
    }
    assert all(NEW in words and "北京" in words for words in after.values())
    assert NEW in Lexicon.open(folder / "lexicon.npy")
    model = fenjie.load(folder)  # its checksums fit
    assert NEW in model(f"他在{NEW}工作。").words and model(old.text) == old
    assert add(folder, [NEW]) == 0
