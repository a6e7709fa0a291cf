"""Labels of a corpus as types of a model, and mappings that do not fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fenjie.errors import FileError
from fenjie.recipe.datasets import CorpusRecipe
from fenjie.tasks.mapping import LabelMap, longest, of_types
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
    assert of_types(found, {"PER"}).spans == (Span(8, 11, "PER"),)
    labels.check_all_seen(Path("a"))


def test_of_overlapping_spans_the_longest_may_be_kept() -> None:
    labels = LabelMap(CorpusRecipe(("a",), labels=LABELS, drop=("nickname",), longest=True))
    (found,) = labels([SENTENCE], Path("a"))
    assert found.spans == (Span(0, 6, "WORK"), Span(8, 11, "PER"))
    chain = [Span(0, 2, "A"), Span(1, 3, "B"), Span(2, 4, "C")]
    assert longest(chain) == [Span(0, 2, "A"), Span(2, 4, "C")]


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
    ],
)
def test_mappings_that_do_not_fit(recipe: CorpusRecipe, message: str) -> None:
    labels = LabelMap(recipe)
    with pytest.raises(FileError, match=re.escape(message)):
        labels([SENTENCE], Path("a"))
        labels.check_all_seen(Path("a"))
