"""Words as 64-bit numbers."""

from __future__ import annotations

import numpy as np
import pytest

from fenjie.errors import FenjieError
from fenjie.lexicon import Lexicon, keys
from fenjie.lexicon.keys import LONGEST, NO_KEY, code_keys, slices, stretch_keys, word_keys
from fenjie.text.vocabulary import code_points


def test_different_words_with_the_same_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "LOWER", np.uint64(0))
    with pytest.raises(FenjieError, match="'中国' and '人民' have the same key by chance"):
        Lexicon.build(["中国", "人民", "中国"])
    assert len(Lexicon.build(["中国", "中国", "中国人"])) == 2


def test_a_word_has_the_same_key_wherever_it_stands() -> None:
    words = ["中国", "", "人", "长" * LONGEST, "长" * (LONGEST + 1), "中国"]
    keys = word_keys(words)
    assert [int(key) == NO_KEY for key in keys] == [False, True, False, False, True, False]
    assert keys[0] == keys[5]
    assert len(set(keys.tolist())) == 4
    assert [int(word_keys([word])[0]) for word in words] == keys.tolist()
    assert code_keys(code_points("中国人民").reshape(2, 2))[0] == keys[0]
    codes, lengths = code_points("".join(words)), np.array([len(word) for word in words if word])
    starts = np.cumsum(lengths) - lengths
    assert stretch_keys(codes, starts, lengths).tolist() == np.delete(keys, 1).tolist()


def test_longer_words_have_larger_keys() -> None:
    keys = np.sort(word_keys(["人民", "的", "中国", "中国人民"]))
    assert slices(keys) == {1: slice(0, 1), 2: slice(1, 3), 4: slice(3, 4)}
    assert slices(keys[:0]) == {}
