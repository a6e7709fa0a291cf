"""Nothing gets lost, whatever the text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fenjie
from fenjie.runtime.rules.graphemes import clusters
from fenjie.runtime.rules.unsplittable import find_unsplittable, inside_latin
from fenjie.runtime.segmenter import Segmenter
from fenjie.text.invisible import visible
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import code_points
from tests.property.user_words import user_words

PIECES = [
    "商品和服务", "他说的确实在理。", "“好！”", "１２．５％", "3,000.5", "-4/5", "www.a.com/b",
    "a@b.cn", "don't", "iPhone15", "👨‍👩‍👧", "🇨🇳", "🇨", "❤️", "1️⃣", "\u200d",
    "\ufe0f", "e\u0301", "\u0301", "한국", "مرحبا", "שלום", "हिन्दी", "\u202e",
    "\0", "\x1b", "\x85", "\u2028", "\r\n", "\n", " ", "\u3000", "\t", "\ud800",
    "\udc00", "\U0010ffff", "\ufeff", "…", "——",
]  # fmt: skip

TEXT = st.one_of(
    st.text(st.characters(codec=None), max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=20).map("".join),
)


@pytest.fixture(scope="module", params=["tiny_model", "tiny_linear", "tiny_words"])
def segment(request: pytest.FixtureRequest) -> Segmenter:
    return fenjie.load(request.getfixturevalue(request.param))


@given(text=TEXT)
def test_words_spell_the_text_and_offsets_tile_it(segment: Segmenter, text: str) -> None:
    sentence = segment(text)
    assert sentence.text == text
    assert sentence.tiled
    assert "".join(sentence.words) == text
    assert segment.cut(text) == sentence.words
    assert all(word.isspace() or not any(map(str.isspace, word)) for word in sentence.words)


@example(texts=["", "\ufe0f0"])
@example(texts=["\n", "\u0301", " "])
@given(texts=st.lists(TEXT, max_size=8))
def test_a_list_is_its_texts_one_by_one(segment: Segmenter, texts: list[str]) -> None:
    assert segment(texts) == [segment(text) for text in texts]
    assert segment.cut(texts) == [segment.cut(text) for text in texts]


@given(text=TEXT)
def test_invisible_characters_change_no_words(segment: Segmenter, text: str) -> None:
    shown = (visible(word) for word in segment(text).words)
    plain = segment(visible(text)).words
    assert list(filter(str.strip, shown)) == list(filter(str.strip, plain))


@given(text=TEXT.map(visible))
def test_no_word_splits_an_atom(segment: Segmenter, text: str) -> None:
    inside = find_unsplittable(text, code_points(text)).inside
    for span in segment(text).spans[1:]:
        beside_space = text[span.start].isspace() or text[span.start - 1].isspace()
        assert beside_space or not inside[span.start]


WORD = user_words(PIECES)


@example(words=["e"], texts=["e\u0301 e"])
@example(words=["\u0600"], texts=["\u0600", "\u0600"])
@example(words=["品和", "和服务", "和"], texts=["商品和服务", "商和服务"])
@given(words=st.lists(WORD, min_size=1, max_size=6), texts=st.lists(TEXT.map(visible), max_size=4))
def test_user_words(segment: Segmenter, words: list[str], texts: list[str]) -> None:
    texts = [*texts, "".join(words)]
    before = segment(texts)
    segment.words.add(words, force=True)
    sentences = segment(texts)
    one_by_one = [segment(text) for text in texts]
    segment.words.remove(segment.words)
    assert segment(texts) == before
    assert sentences == one_by_one
    for text, sentence, plain in zip(texts, sentences, before, strict=True):
        assert sentence.tiled
        assert "".join(sentence.words) == text
        chosen = _leftmost_longest(text, words)
        starts = {span.start for span in sentence.spans} | {len(text)}
        near: set[int] = set()
        for start, end in chosen:
            assert starts & set(range(start, end + 1)) == {start, end}
            near |= set(range(start, end + 1))
        assert starts - near == ({span.start for span in plain.spans} | {len(text)}) - near


def _leftmost_longest(text: str, words: list[str]) -> list[tuple[int, int]]:
    """Where user words are, by a plain search in the text with its width folded."""
    fold = Normaliser()
    folded = fold(text).text
    known = {fold(word).text for word in words}
    found = clusters(code_points(text))
    closed = set() if found is None else set(found[0].nonzero()[0].tolist())
    closed |= set(inside_latin(code_points(folded)).nonzero()[0].tolist())
    chosen, place = [], 0
    while place < len(text):
        ends = {place + len(word) for word in known if folded.startswith(word, place)} - closed
        if ends and place not in closed:
            chosen.append((place, max(ends)))
            place = max(ends)
        else:
            place += 1
    return chosen
