"""The statistics of a corpus."""

from __future__ import annotations

from fenjie.corpus.statistics import Statistics, measure
from fenjie.text.span import Sentence, Span

ENTITIES = [Sentence("我在北京。", (Span(2, 4, "LOC"),)), Sentence("没有")]
WORDS = [Sentence.from_words(["我", "在", "北京", "。"]), Sentence.from_words(["我们在"])]


def test_measure() -> None:
    assert measure(WORDS) == Statistics(
        sentences=2, characters=8, character_types=6, longest=5, words=5, word_types=5, most_words=4
    )
    found = measure(ENTITIES)
    assert found.entities == {"LOC": 1}
    assert (found.words, found.mean_length, found.mean_entities) == (0, 3.5, 0.5)
    assert (measure([]).mean_length, measure([]).mean_entities) == (0, 0)
