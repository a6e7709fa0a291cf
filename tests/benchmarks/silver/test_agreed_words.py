"""Sentences cut by a teacher: which are without doubt, and what stays aside."""

from __future__ import annotations

from benchmarks.silver.agreed_words import SURE, cuts, is_clear
from fenjie.text.span import WORD, Sentence, Span


def cut(*words: tuple[str, float | None]) -> Sentence:
    """Words with the confidence of each."""
    spans, end = [], 0
    for word, sure in words:
        spans.append(Span(end, end + len(word), WORD, sure))
        end += len(word)
    return Sentence("".join(word for word, _ in words), tuple(spans))


def test_a_doubt_that_both_share_is_none() -> None:
    own = cut(("结婚", None), ("的", None), ("和尚", None), ("未", None))
    sure = cut(("结婚", 0.5), ("的", 0.5), ("和", SURE), ("尚未", SURE))
    assert is_clear(sure, own)
    unsure = cut(("结婚", 1.0), ("的", 1.0), ("和", SURE - 0.01), ("尚未", SURE))
    assert not is_clear(unsure, own)


def test_a_sentence_whose_words_leave_something_out_is_not_clear() -> None:
    own = cut(("结婚", None))
    assert not is_clear(Sentence("结婚", (Span(0, 1, WORD, 1.0),)), own)


def test_a_sentence_with_whitespace_is_not_clear() -> None:
    own = cut(("结婚 了", None))
    assert not is_clear(own, own)


def test_a_short_organisation_is_not_cut() -> None:
    words = cut(("在", None), ("华", None), ("为", None), ("银行", None))
    assert cuts(words, Sentence(words.text, (Span(1, 3, "ORG"),)))
    assert not cuts(words, Sentence(words.text, (Span(1, 3, "PER"),)))
    assert not cuts(words, Sentence(words.text, (Span(3, 5, "ORG"),)))
    assert not cuts(words, Sentence(words.text, (Span(1, 5, "ORG"),)))
