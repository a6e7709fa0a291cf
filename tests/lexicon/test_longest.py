"""The longest words of several lexicons at each character, by one search."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fenjie.lexicon import Lexicon, matching
from fenjie.lexicon import longest as longest_words
from fenjie.lexicon.longest import LONG, VIEWS, JointLexicons, LongestWords
from fenjie.text.vocabulary import code_points

WORDS = ["中国", "国人", "中国人", "人民", "中国人民银行", "𠮷野家", "的"]


def longest(lexicons: list[Lexicon], text: str, ends: list[int] | None = None) -> LongestWords:
    codes = code_points(text)
    everyone = np.arange(len(lexicons))
    return JointLexicons(lexicons).longest_words(codes, np.array(ends or [len(text)]), everyone)


def slow(words: set[str], texts: list[str]) -> list[list[int]]:
    """Begin, end and cross of texts that lie one after the other, word by word."""
    size, offset = sum(map(len, texts)), 0
    begin, end, cross = ([0] * size for _ in range(3))
    for text in texts:
        for word in words:
            length = min(len(word), LONG)
            for start in range(len(text) - len(word) + 1):
                if text.startswith(word, start):
                    low, last = offset + start, offset + start + len(word) - 1
                    begin[low] = max(begin[low], length)
                    end[last] = max(end[last], length)
                    cross[low:last] = [max(value, length) for value in cross[low:last]]
        offset += len(text)
    return [begin, end, cross]


def test_the_longest_words_at_each_character() -> None:
    view = longest([Lexicon.build(WORDS)], "中国人民在").of(0)
    assert view.begin.tolist() == [3, 2, 2, 0, 0]
    assert view.end.tolist() == [0, 2, 3, 2, 0]
    assert view.cross.tolist() == [3, 3, 2, 0, 0]


@pytest.mark.parametrize(("chunk", "block"), [(5, 1 << 14), (64, 3), (4096, 40)])
@pytest.mark.parametrize("seed", range(4))
def test_each_lexicon_has_what_it_has_alone(
    monkeypatch: pytest.MonkeyPatch, chunk: int, block: int, seed: int
) -> None:
    monkeypatch.setattr(matching, "CHUNK", chunk)
    monkeypatch.setattr(longest_words, "BLOCK", block)
    choose = random.Random(seed)

    def some(count: int) -> set[str]:
        return {"".join(choose.choices("甲乙丙", k=choose.randint(2, 12))) for _ in range(count)}

    lists = [some(choose.choice((0, 3, 60))) for _ in range(3)]
    lists[1] |= {*list(lists[0])[:20], "甲" * 31}
    texts = ["".join(choose.choices("甲乙丙丁", k=choose.randint(1, 90))) for _ in range(5)]
    texts.append("甲" * 70)
    ends = np.cumsum([len(text) for text in texts]).tolist()
    lexicons = [Lexicon.build(words) for words in lists]
    view = longest(lexicons, "".join(texts), ends)
    for number, words in enumerate(lists):
        assert [column.tolist() for column in view.of(number)] == slow(words, texts)


def test_some_of_the_lexicons_are_asked() -> None:
    joint = JointLexicons([Lexicon.build(words) for words in (["中国"], ["国人"], ["中国人"])])
    codes, ends = code_points("中国人"), np.array([3])
    found = joint.longest_words(codes, ends, np.array([2, 0]))
    assert found.begin.tolist() == [[3, 0, 0], [2, 0, 0]]
    none = joint.longest_words(codes, ends, np.array([], dtype=np.int64))
    assert none.begin.shape == (0, 3)


def test_words_added_and_removed_before_the_first_search_count() -> None:
    lexicon = Lexicon.build(["中国", "国人"])
    lexicon.add("中国人", "人民")
    lexicon.remove("国人")
    assert lexicon.keys.tolist() == Lexicon.build(["中国", "中国人", "人民"]).keys.tolist()
    assert longest([lexicon, Lexicon.build([])], "中国人民").of(0).begin.tolist() == [3, 0, 2, 0]


@pytest.mark.parametrize("text", ["", "没有词"])
def test_nothing_to_find(text: str) -> None:
    for words in (WORDS, []):
        assert not np.any(longest([Lexicon.build(words)], text))


def test_one_number_for_what_is_said_of_a_character() -> None:
    columns = np.indices((LONG + 1,) * 3, dtype=np.int32).reshape(3, -1)
    ids = LongestWords(*columns).ids()
    assert sorted(ids.tolist()) == list(range(VIEWS))
