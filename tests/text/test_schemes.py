"""Label schemes and the repair of ill-formed tags."""

from __future__ import annotations

import pytest

from fenjie.errors import FenjieError
from fenjie.text import schemes
from fenjie.text.schemes import NEW_LABEL, NO_BEGIN, NO_BEGIN_END, NO_END, UNKNOWN, Scheme
from fenjie.text.span import Span

SPANS = (Span(0, 3, "A"), Span(3, 4, "A"), Span(5, 7))
TAGS = {
    "BIO": "B-A I-A I-A B-A O B I",
    "BIOES": "B-A I-A E-A S-A O B E",
    "BMES": "B-A M-A E-A S-A O B E",
}


@pytest.mark.parametrize("scheme", Scheme)
def test_both_ways(scheme: Scheme) -> None:
    tags = TAGS[scheme].split()
    assert schemes.encode(SPANS, 7, scheme) == tags
    assert schemes.decode(tags, scheme) == (SPANS, {})
    assert schemes.detect(tags) is scheme
    assert schemes.encode(SPANS, 7, scheme.lower()) == tags


@pytest.mark.parametrize(
    ("scheme", "tags", "spans", "repairs"),
    [
        ("BIO", "O I-A I-A O", [(1, 3, "A")], {NO_BEGIN: 1}),
        ("BIO", "B-A I-B I-B", [(0, 1, "A"), (1, 3, "B")], {NEW_LABEL: 1}),
        ("BIO", "B-A I-A B-A", [(0, 2, "A"), (2, 3, "A")], {}),
        ("BIO", "B-A E-A", [(0, 1, "A")], {UNKNOWN: 1}),
        ("BIO", "B-A ? I-A", [(0, 1, "A"), (2, 3, "A")], {UNKNOWN: 1, NO_BEGIN: 1}),
        ("BMES", "B-A M-A", [(0, 2, "A")], {NO_END: 1}),
        ("BMES", "B-A M-A O", [(0, 2, "A")], {NO_END: 1}),
        ("BMES", "B-A B-A E-A", [(0, 1, "A"), (1, 3, "A")], {NO_END: 1}),
        ("BMES", "B-A S-A", [(0, 1, "A"), (1, 2, "A")], {NO_END: 1}),
        ("BMES", "E-A O", [(0, 1, "A")], {NO_BEGIN_END: 1}),
        ("BMES", "M-A E-A", [(0, 2, "A")], {NO_BEGIN: 1}),
        ("BMES", "S-A M-A E-A", [(0, 1, "A"), (1, 3, "A")], {NO_BEGIN: 1}),
        ("BMES", "B-A E-B", [(0, 1, "A"), (1, 2, "B")], {NEW_LABEL: 1}),
        (
            "BMES",
            "B-A I-A E-A",
            [(0, 1, "A"), (2, 3, "A")],
            {UNKNOWN: 1, NO_END: 1, NO_BEGIN_END: 1},
        ),
        ("BIOES", "B-A I-A O I-A", [(0, 2, "A"), (3, 4, "A")], {NO_END: 2, NO_BEGIN: 1}),
    ],
)
def test_repairs(
    scheme: str, tags: str, spans: list[tuple[int, int, str]], repairs: dict[str, int]
) -> None:
    found, counted = schemes.decode(tags.split(), scheme)
    assert found == tuple(Span(*span) for span in spans)
    assert counted == repairs


@pytest.mark.parametrize("tag", ["", "X", "B-", "O-A", "b-A", "BA", "-A", "I_A", " O"])
def test_what_is_no_tag(tag: str) -> None:
    assert schemes.decode([tag], "BIO") == ((), {UNKNOWN: 1})
    with pytest.raises(FenjieError, match="not a tag; found"):
        schemes.detect(["O", tag])


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [("O", "BIO"), ("B O", "BIO"), ("B I", "BIO"), ("I", "BIO"), ("B E", "BMES"), ("S", "BMES"),
     ("B I E", "BIOES"), ("I S", "BIOES"), ("B M", "BMES"), ("", "BIO")],
)  # fmt: skip
def test_detection(tags: str, scheme: str) -> None:
    assert schemes.detect(tags.split()) == scheme


def test_mixed_schemes() -> None:
    with pytest.raises(FenjieError, match="both occur"):
        schemes.detect(["B-A", "I-A", "M-A"])


@pytest.mark.parametrize("spans", [[(0, 2), (1, 3)], [(2, 4)], [(1, 1)]])
def test_spans_that_tags_cannot_say(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(FenjieError, match="tags cannot say"):
        schemes.encode([Span(*span) for span in spans], 3)


def test_bad_names() -> None:
    with pytest.raises(FenjieError, match="empty label"):
        schemes.encode([Span(0, 1, "")], 1)
    with pytest.raises(FenjieError, match="unknown label scheme 'IOB'; expected BIO, BIOES, BMES"):
        schemes.decode([], "IOB")


def test_labels_with_hyphens() -> None:
    tags = ["B-PER.NAM-x", "I-PER.NAM-x"]
    assert schemes.decode(tags, "BIO")[0] == (Span(0, 2, "PER.NAM-x"),)
