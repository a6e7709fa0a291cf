"""Tags as numbers, and which may follow which."""

from __future__ import annotations

from itertools import product

import pytest

from fenjie.errors import FenjieError
from fenjie.text import schemes
from fenjie.text.span import WORD, Sentence, Span
from fenjie.text.tags import TagSet


def test_numbers_are_in_the_order_of_the_labels() -> None:
    assert TagSet(["PER", "LOC"]).tags == (
        "O", "B-PER", "M-PER", "E-PER", "S-PER", "B-LOC", "M-LOC", "E-LOC", "S-LOC",
    )  # fmt: skip
    assert TagSet([WORD]).tags == ("O", "B", "M", "E", "S")
    assert len(TagSet(["PER", "LOC"])) == 9
    assert TagSet([]).tags == ("O",)


def test_sentences_come_back() -> None:
    tags = TagSet(["PER", "LOC", WORD])
    spans = (Span(0, 2, "PER"), Span(2, 3, "LOC"), Span(4, 8, "LOC"), Span(8, 9, WORD))
    ids = tags.encode(Sentence("小明京在北京大学读书", spans))
    assert ids.dtype == "int64"
    assert [tags.tags[number] for number in ids] == schemes.encode(spans, 10)
    assert tags.decode(ids) == tags.decode(ids.tolist()) == spans
    assert tags.path("LOC", 4).tolist() == ids[4:8].tolist()
    assert tags.encode(Sentence("")).tolist() == []
    assert tags.decode([]) == ()


def test_ill_formed_tags_are_repaired() -> None:
    tags = TagSet(["A", "B"])
    ill = [tags.tags.index(tag) for tag in ("M-A", "E-B", "B-A", "O")]
    assert tags.decode(ill) == (Span(0, 1, "A"), Span(1, 2, "B"), Span(2, 3, "A"))


def test_what_is_allowed_is_what_needs_no_repair() -> None:
    tags = TagSet(["A", "B"])
    for path in product(range(len(tags)), repeat=3):
        legal = tags.begins[path[0]] and tags.ends[path[-1]]
        legal &= tags.allowed[path[0], path[1]] and tags.allowed[path[1], path[2]]
        _, repairs = schemes.decode([tags.tags[number] for number in path])
        assert legal == (not repairs), [tags.tags[number] for number in path]


def test_errors() -> None:
    with pytest.raises(FenjieError, match="empty or repeated label among A, A"):
        TagSet(["A", "A"])
    with pytest.raises(FenjieError, match="empty or repeated"):
        TagSet([""])
    tags = TagSet(["A", "B"])
    with pytest.raises(FenjieError, match="unknown label 'C'; expected one of A, B"):
        tags.encode(Sentence("字字", (Span(0, 1, "A"), Span(1, 2, "C"))))
    with pytest.raises(FenjieError, match="overlaps"):
        tags.encode(Sentence("字字", (Span(0, 2, "A"), Span(1, 2, "B"))))
    for wrong in (-1, 9):
        with pytest.raises(FenjieError, match=f"not a tag: {wrong}; expected 0 to 8"):
            tags.decode([0, wrong])
