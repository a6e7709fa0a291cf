"""Coined names, and the Latin words of a sentence that are no names."""

from __future__ import annotations

import random

from benchmarks.silver.coined import WORD, blends, latin_names, with_words, without_words
from benchmarks.silver.exchanged import LATIN, LATIN_BODIES, LATIN_PLACES, listed
from fenjie.text.span import Sentence, Span


def test_coined_names_are_different_and_look_like_names() -> None:
    names = latin_names(400, random.Random(1))
    assert len(set(names)) == 400
    assert all(name.isascii() and name.isalpha() and name[0].isupper() for name in names)
    assert any(sum(map(str.isupper, name)) == 2 for name in names)
    known = {name for path in (LATIN, LATIN_BODIES, LATIN_PLACES) for name in listed(path)}
    assert len(known & set(names)) < 10


def test_a_blend_has_the_halves_of_two_names() -> None:
    names = ["阿里巴巴", "京东", "肯德基"]
    halves = {"阿里", "京", "肯德"}, {"巴巴", "东", "基"}
    made = blends(100, names, random.Random(1))
    assert len(made) == len(set(made)) == 6
    assert set(made) == {one + other for one in halves[0] for other in halves[1]} - set(names)


def test_words_outside_entities_are_marked_and_unmarked() -> None:
    old = Sentence("Tony用Figma和app画iPhone，见www.Zoom.com", (Span(0, 4, "PER"),))
    marked = with_words(old)
    assert [span.of(old.text) for span in marked.spans if span.label == WORD] == ["Figma"]
    assert marked.spans[0] == old.spans[0]
    assert without_words(marked) == old


def test_a_word_that_an_entity_crosses_is_no_word() -> None:
    old = Sentence("Apple Store开了", (Span(0, 11, "ORG"),))
    assert with_words(old) == old
