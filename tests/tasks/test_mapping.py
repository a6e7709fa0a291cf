"""Labels of a corpus as types of a model, and mappings that do not fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fenjie.errors import FileError
from fenjie.recipe.datasets import CorpusRecipe
from fenjie.tasks.mapping import LabelMap, longest, within
from fenjie.text.span import Sentence, Span

TEXT = "《北京一夜》里的王小明"
SENTENCE = Sentence(
    TEXT, (Span(0, 6, "movie"), Span(1, 3, "address"), Span(8, 11, "name"), Span(9, 11, "nickname"))
)
LABELS = {"movie": "WORK", "address": "LOC", "name": "PER"}


def test_labels_are_renamed_and_dropped() -> None:
    labels = LabelMap(CorpusRecipe(("a",), labels=LABELS, drop=("nickname",)))
    (found,) = labels([SENTENCE], Path("a"))
    assert found.spans == (Span(0, 6, "WORK"), Span(1, 3, "LOC"), Span(8, 11, "PER"))
    assert found.only({"PER"}).spans == (Span(8, 11, "PER"),)
    labels.check_all_seen(Path("a"))


def test_of_overlapping_spans_the_longest_may_be_kept() -> None:
    labels = LabelMap(CorpusRecipe(("a",), labels=LABELS, drop=("nickname",), longest=True))
    (found,) = labels([SENTENCE], Path("a"))
    assert found.spans == (Span(0, 6, "WORK"), Span(8, 11, "PER"))
    chain = [Span(0, 2, "A"), Span(1, 3, "B"), Span(2, 4, "C")]
    assert longest(chain) == [Span(0, 2, "A"), Span(2, 4, "C")]
    assert longest(reversed(chain[:2])) == [Span(0, 2, "A")]


def test_parts_of_an_unmarked_word_are_left_out() -> None:
    recipe = CorpusRecipe(("a",), labels={"LOC": "LOC", "ORG": "ORG"}, unmarked=("亚运会", "奥运"))
    sentence = Sentence(
        "亚、奥运会：中国奥运会，杭州亚运会上东亚运会",
        (
            Span(0, 1, "LOC"),
            Span(2, 3, "LOC"),  # 奥 of 奥运: goes
            Span(6, 11, "ORG"),  # holds the word: stays
            Span(12, 14, "LOC"),
            Span(14, 15, "LOC"),  # 亚 of 亚运会: goes
            Span(18, 20, "LOC"),  # 东亚 crosses its edge: stays
        ),
    )
    labels = LabelMap(recipe)
    (found,) = labels([sentence], Path("a"))
    assert [span.of(found.text) for span in found.spans] == ["亚", "中国奥运会", "杭州", "东亚"]
    labels.check_all_seen(Path("a"))


def test_a_span_that_is_the_word_stays_and_overlapping_places_count() -> None:
    text = "哈哈哈"
    spans = [Span(0, 2, "A"), Span(2, 3, "A"), Span(0, 3, "A"), Span(1, 2, "A")]
    assert within(spans, "哈哈", text) == [Span(2, 3, "A"), Span(1, 2, "A")]


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (
            CorpusRecipe(("a",), labels=LABELS),
            "a: sentence 1 has a label that the corpus's tables `labels` and `drop` do not name; "
            "found 'nickname'; expected one of movie, address, name",
        ),
        (
            CorpusRecipe(("a",), labels={**LABELS, "game": "GAME"}, drop=("nickname",)),
            "a: `labels` names a label that the corpus does not have; found 'game'; expected some "
            "of address, movie, name, nickname",
        ),
        (
            CorpusRecipe(("a",), labels=LABELS, drop=("nickname", "book")),
            "a: `drop` names a label that the corpus does not have; found 'book'",
        ),
        (
            CorpusRecipe(
                ("a",), labels=LABELS, drop=("nickname",), unmarked=("北京一夜", "上海滩")
            ),
            "a: `unmarked` names a word of which the corpus marks no part; found '上海滩'",
        ),
    ],
)
def test_mappings_that_do_not_fit(recipe: CorpusRecipe, message: str) -> None:
    labels = LabelMap(recipe)
    with pytest.raises(FileError, match=re.escape(message)):
        labels([SENTENCE], Path("a"))
        labels.check_all_seen(Path("a"))
