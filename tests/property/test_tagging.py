"""Entities stand where they say, whatever the text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.runtime.load import load_entity_tagger
from fenjie.runtime.rules.graphemes import clusters
from fenjie.runtime.rules.unsplittable import at_capitals, inside_latin
from fenjie.text.invisible import visible
from fenjie.text.span import Sentence
from fenjie.text.vocabulary import code_points
from tests.property.user_words import user_words

PIECES = [
    "商品和服务", "他说的确实在理。", "“好！”", "今天天气很好", "北京", "市场价格", "１２．５％",
    "iPhone15", "CSV",
    "www.a.com/b", "👨‍👩‍👧", "🇨🇳", "🇨", "❤️", "\u200d", "\ufe0f", "e\u0301", "\u0301", "\u0600",
    "한국", "مرحبا", "\u202e", "\0", "\x1b", "\x85", "\u2028", "\r\n", "\n", " ", "\u3000",
    "\t", "\ud800", "\udc00", "\U0010ffff", "\ufeff", "…",
]  # fmt: skip

TEXT = st.one_of(
    st.text(st.characters(codec=None), max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=20).map("".join),
)


@pytest.fixture(scope="module")
def tag(tiny_ner: Path) -> EntityTagger:
    return load_entity_tagger(tiny_ner)


def check(sentence: Sentence, text: str) -> None:
    assert sentence.text == text
    shown = visible(text)
    codes = code_points(shown)
    found = clusters(codes)
    closed = inside_latin(codes) & ~at_capitals(codes)
    last = 0
    for entity in sentence.entities:
        assert last <= entity.start < entity.end <= len(text)
        assert text[entity.start : entity.end] == entity.text
        assert not entity.text[0].isspace()
        assert not entity.text[-1].isspace()
        assert entity.confidence is not None
        assert 0 <= entity.confidence <= 1
        last = entity.end
        places = [len(visible(text[:edge])) for edge in (entity.start, entity.end)]
        assert not closed[places].any()
        for place in places:
            beside_space = any(map(str.isspace, shown[max(place - 1, 0) : place + 1]))
            if found is not None and place < len(codes) and not beside_space:
                assert not found[0][place]


@given(text=TEXT)
def test_offsets_are_exact(tag: EntityTagger, text: str) -> None:
    check(tag(text), text)


@example(texts=["", "\ufe0f0"])
@example(texts=["\n", "\u0301", " "])
@given(texts=st.lists(TEXT, max_size=8))
def test_a_list_is_its_texts_one_by_one(tag: EntityTagger, texts: list[str]) -> None:
    assert tag(texts) == [tag(text) for text in texts]


WORD = user_words(PIECES)


@given(text=TEXT)
def test_invisible_characters_change_no_entities(tag: EntityTagger, text: str) -> None:
    shown = [(visible(entity.text), entity.label) for entity in tag(text).entities]
    assert shown == [(entity.text, entity.label) for entity in tag(visible(text)).entities]


@example(words={"品和": "PER", "和服务": "LOC", "和": "ORG"}, texts=["商品和服务", "商和服务"])
@example(words={"商": "PER"}, texts=["AB\x85a"])
@example(words={"\u0600": "PER"}, texts=["\u0600\u202a\x85"])
@given(
    words=st.dictionaries(WORD, st.sampled_from(["LOC", "ORG", "PER"]), min_size=1, max_size=6),
    texts=st.lists(TEXT, max_size=4),
)
def test_forced_words(tag: EntityTagger, words: dict[str, str], texts: list[str]) -> None:
    texts = [*texts, "".join(words), *words]
    before = tag(texts)
    tag.lexicon.update(words, force=True)
    kept = tag.lexicon.entities
    sentences = tag(texts)
    one_by_one = [tag(text) for text in texts]
    tag.lexicon.remove(*kept)
    assert tag(texts) == before
    assert sentences == one_by_one
    for text, sentence in zip(texts, sentences, strict=True):
        check(sentence, text)
    for word, sentence in zip(words, sentences[-len(words) :], strict=True):
        normal = "".join(entity.text for entity in sentence.entities)
        if word in kept and clusters(code_points(word)) is None:
            assert normal == word
            assert [entity.label for entity in sentence.entities] == [kept[word]]


@example(words={"品和": "PER", "和服务": "LOC", "和": "ORG"}, weight=1e9, texts=["商品和服务"])
@given(
    words=st.dictionaries(WORD, st.sampled_from(["LOC", "ORG", "PER"]), min_size=1, max_size=6),
    weight=st.sampled_from([1, 10, 1e9]),
    texts=st.lists(TEXT, max_size=4),
)
def test_preferred_words(
    tag: EntityTagger, words: dict[str, str], weight: float, texts: list[str]
) -> None:
    texts = [*texts, "".join(words), *words]
    before = tag(texts)
    tag.lexicon.update(words, weight=weight)
    kept = tag.lexicon.entities
    sentences = tag(texts)
    assert sentences == [tag(text) for text in texts]
    assert sentences == list(tag.stream(texts))
    tag.lexicon.remove(*kept)
    assert tag(texts) == before
    for text, sentence in zip(texts, sentences, strict=True):
        check(sentence, text)
        if not any(word in tag.folder.normaliser(visible(text)).text for word in kept):
            assert sentence == tag(text)
