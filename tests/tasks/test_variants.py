"""Traditional characters that are read as simplified ones."""

from __future__ import annotations

import numpy as np
import pytest

import fenjie
from fenjie.lexicon import Lexicon
from fenjie.lexicon.indexer import Indexer
from fenjie.runtime.lattices import LatticeReader
from fenjie.tasks.variants import simplified_variants
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import Vocabulary


def test_only_unknown_characters_with_a_known_form_are_read_as_others() -> None:
    pairs = simplified_variants(["大学"], known="后後").units
    assert "學学" in pairs
    assert "後后" not in pairs  # it is known itself
    assert not any(pair.endswith("机") for pair in pairs)


def test_a_few_traditional_posts_do_not_make_their_characters_known() -> None:
    pairs = simplified_variants(["我爱大学", "我愛大學", "乾隆干活"]).units
    assert {"愛爱", "學学"} <= set(pairs)
    assert "乾干" not in pairs  # in 乾隆 it is no traditional character


def test_words_are_found_in_variants() -> None:
    indexer = Indexer(Vocabulary("大学"), variants=Vocabulary(["學学"]))
    reader = LatticeReader(Normaliser(), indexer, Lexicon.build(["大学"]))
    seen = []

    def score(batch):  # type: ignore[no-untyped-def]
        seen.append(batch)
        return np.zeros((*batch.ids.shape[:2], 5), np.float32)

    from fenjie.text.tags import TagSet

    reader.read(["大學"]).entities(score, TagSet(["X"]), np.zeros((7, 5), np.float32))
    (batch,) = seen
    assert batch.words.tolist() == [1]
    assert batch.ids[0, :, 0].tolist() == indexer("大学")[:, 0].tolist()


@pytest.mark.parametrize("model", ["ner", "ner-small"])
def test_the_shipped_models_find_entities_in_traditional_text(model: str) -> None:
    tagger = fenjie.load(model)
    simple = tagger("王小明昨天在北京大学听了李教授的课")
    sentence = tagger("王小明昨天在北京大學聽了李教授的課")
    spans = [(e.start, e.end, e.label) for e in sentence.entities]
    assert spans == [(e.start, e.end, e.label) for e in simple.entities]
    assert sentence.entities[1].text == "北京大學"
