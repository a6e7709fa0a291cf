"""`fenjie demo`: words and entities of some sentences, together."""

from __future__ import annotations

from fenjie.cli.demo import together
from fenjie.text.span import Entity, Sentence


def test_demo_shows_words_and_entities_together() -> None:
    words = Sentence.from_words(["我", "在", "北京", "大学", " ", "李明华告", "诉", "他"])
    entities = [Entity("北京大学", "ORG", 2, 6), Entity("李明华", "PER", 7, 10)]
    assert together(words, entities) == "我 在 [北京 大学/ORG] [李明华/PER]告 诉 他"
    painted = together(words, entities, {"ORG": "1", "PER": "2"})
    assert painted == "我 在 \x1b[4;1m北京 大学\x1b[0m \x1b[4;2m李明华\x1b[0m告 诉 他"
