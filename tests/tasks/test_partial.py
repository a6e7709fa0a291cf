"""Gold tags of corpora that mark some types each."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from fenjie.nn.decoders.gaps import IGNORED
from fenjie.tasks.partial import PartialTags
from fenjie.text.span import Sentence, Span
from fenjie.text.tags import TagSet

TAGS = TagSet(["LOC", "PER"])
SENTENCE = Sentence("李雷在北京", (Span(0, 2, "PER"),))


def allowed(numbers: list[bool]) -> set[str]:
    return {tag for tag, may in zip(TAGS.tags, numbers, strict=True) if may}


def test_tags_are_those_of_the_tag_set_where_all_types_are_marked() -> None:
    for types in (None, {"LOC", "PER"}):
        tags = PartialTags(TAGS, [types])
        rows = [tags.encode(SENTENCE, 0), tags.encode(Sentence("好"), 0)]
        assert rows[0].tolist() == TAGS.encode(SENTENCE).tolist()
        assert tags.gold(rows).tolist() == [rows[0].tolist(), [0, *[IGNORED] * 4]]


def test_types_that_a_corpus_does_not_mark_are_possible() -> None:
    tags = PartialTags(TAGS, [None, {"PER"}])
    rows = [tags.encode(Sentence("好好"), 0), tags.encode(SENTENCE, 1)]
    gold = tags.gold(rows)
    assert gold.shape == (2, 5, len(TAGS))
    known = [allowed(row) for row in gold[0].tolist()]
    assert known == [{"O"}, {"O"}, set(), set(), set()]
    places = {"O", "B-LOC", "M-LOC", "E-LOC", "S-LOC"}
    partly = [allowed(row) for row in gold[1].tolist()]
    assert partly == [{"B-PER"}, {"E-PER"}, places, places, places]


def test_spans_of_a_type_that_is_not_marked_everywhere_are_known() -> None:
    tags = PartialTags(TAGS, [{"LOC"}])
    row = tags.encode(SENTENCE, 0)
    assert row[:2].tolist() == TAGS.path("PER", 2).tolist()
    assert (row[2:] == len(TAGS)).all() and row.dtype == np.int16
