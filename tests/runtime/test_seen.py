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
