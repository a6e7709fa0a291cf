"""Numbered lines and the sentences that readers make of them."""

from __future__ import annotations

import pytest

from fenjie.corpus.lines import Corpus, blocks, words_of
from fenjie.errors import FenjieError
from fenjie.text.span import Sentence, Span


def test_blocks_are_the_lines_between_empty_lines() -> None:
    lines = list(enumerate(["", "a", "b", "", "", "c"], 1))
    assert list(blocks(lines)) == [[(2, "a"), (3, "b")], [(6, "c")]]
    assert list(blocks([])) == list(blocks([(1, "")])) == []


def test_a_corpus_knows_the_line_of_each_sentence() -> None:
    corpus = Corpus()
    corpus.add(Sentence("好"), 7)
    corpus.add(Sentence("完"), 9)
    assert [sentence.text for sentence in corpus] == ["好", "完"]
    assert (len(corpus), corpus.lines) == (2, [7, 9])
    assert Corpus() == Corpus()


def test_only_words_that_tile_a_text_are_words_of_it() -> None:
    assert words_of(Sentence.from_words(["在", "北京"])) == ["在", "北京"]
    for sentence in Sentence(""), Sentence("北京"), Sentence("在北京", (Span(1, 3),)):
        with pytest.raises(FenjieError, match="expected words that tile a text"):
            words_of(sentence)
