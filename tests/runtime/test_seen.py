"""The words that a model sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.errors import FenjieError
from fenjie.runtime.load import load_entity_tagger
from fenjie.runtime.seen import seen_words


def test_words_are_at_their_places_in_each_text(tiny_ner: Path) -> None:
    tagger = load_entity_tagger(tiny_ner)
    texts = ["", "商品和服务", " 商 品", "商\n品"]
    assert [sentence.words for sentence in seen_words(tagger, texts)] == [
        [], ["商品", "和服", "服务"], ["商 品"], [],
    ]  # fmt: skip
    tagger.lexicon.update({"品和服": None})
    (found,) = seen_words(tagger, texts[1:2])
    assert found.words == ["商品", "品和服", "和服", "服务"]


def test_a_model_of_characters_sees_none(tiny_ner: Path) -> None:
    tagger = load_entity_tagger(tiny_ner)
    vars(tagger.folder)["finder"] = None
    with pytest.raises(FenjieError, match="sees no words"):
        seen_words(tagger, ["商品"])


def test_words_are_those_of_the_reading(tiny_ner: Path) -> None:
    """No sentence ends in a user's entity, and a long run of one character has no words."""
    tagger = load_entity_tagger(tiny_ner)
    tagger.lexicon.add("。和", "商商")
    text = "他" * 150 + "商品。和服好" + "的" * 60
    assert seen_words(tagger, [text])[0].words == ["商品", "和服"]
    tagger.lexicon.add("品。和服", label="LOC", force=True)
    assert seen_words(tagger, [text])[0].words == ["商品", "。和", "和服"]
    assert seen_words(tagger, ["商" * 40 + "品"])[0].words == ["商品"]
