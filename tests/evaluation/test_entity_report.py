"""The errors of an entity recogniser, and the diff that shows them."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from fenjie.errors import FenjieError
from fenjie.evaluation.confusions import Confusion
from fenjie.evaluation.entity_report import EntityError, errors, report
from fenjie.text.span import Sentence, Span


def sentence(text: str, *spans: tuple[int, int, str]) -> Sentence:
    return Sentence(text, tuple(sorted(Span(*span) for span in spans)))


TEXT = "李雷在北京市海淀区上班族"
GOLD = sentence(TEXT, (0, 2, "PER"), (3, 6, "LOC"), (6, 9, "LOC"), (9, 12, "PER"))
PREDICTED = sentence(TEXT, (0, 2, "ORG"), (2, 3, "LOC"), (3, 5, "LOC"), (6, 8, "ORG"))


def test_each_kind() -> None:
    assert list(errors(GOLD, PREDICTED)) == [
        EntityError("type", Span(0, 2, "PER"), Span(0, 2, "ORG")),
        EntityError("spurious", None, Span(2, 3, "LOC")),
        EntityError("boundary", Span(3, 6, "LOC"), Span(3, 5, "LOC")),
        EntityError("both", Span(6, 9, "LOC"), Span(6, 8, "ORG")),
        EntityError("missed", Span(9, 12, "PER"), None),
    ]
    assert not list(errors(GOLD, GOLD))


def test_an_entity_belongs_to_one_error() -> None:
    """Two gold entities in one predicted: the longer overlap is a boundary, the other missed."""
    gold = sentence("北京市海淀", (0, 3, "LOC"), (3, 5, "LOC"))
    assert list(errors(gold, sentence("北京市海淀", (0, 5, "LOC")))) == [
        EntityError("boundary", Span(0, 3, "LOC"), Span(0, 5, "LOC")),
        EntityError("missed", Span(3, 5, "LOC"), None),
    ]
    # The same label goes before a longer overlap, equal boundaries before both.
    nested = sentence("北京市", (0, 3, "ORG"), (1, 2, "LOC"))
    assert list(errors(nested, sentence("北京市", (0, 2, "LOC")))) == [
        EntityError("boundary", Span(1, 2, "LOC"), Span(0, 2, "LOC")),
        EntityError("missed", Span(0, 3, "ORG"), None),
    ]
    both = list(errors(nested, sentence("北京市", (0, 3, "LOC"))))
    assert [error.kind for error in both] == ["type", "missed"]


def test_report() -> None:
    found = report([GOLD, GOLD, Sentence("无")], [PREDICTED, GOLD, Sentence("无")],
                   {("李雷", "PER")})  # fmt: skip
    one = dict.fromkeys(("missed", "spurious", "type", "boundary", "both"), 1)
    assert found.kinds == one
    assert list(found.lengths) == ["1", "2", "3"]
    assert found.lengths["1"]["spurious"] == 1
    assert found.seen["seen"] == {**dict.fromkeys(one, 0), "type": 1}
    assert sum(found.seen["unseen"].values()) == 4
    assert found.labels == (("PER", "ORG", 1),)
    assert found.confusions[0] == Confusion(
        "missed", ("上班族", "PER"), None, 1, ("…雷在北京市海淀区[上班族]",)
    )
    twice = report([GOLD] * 3, [PREDICTED] * 2 + [GOLD], most=2)
    assert [(c.count, len(c.examples)) for c in twice.confusions] == [(2, 2), (2, 2)]
    assert twice.seen == {}
    assert json.loads(json.dumps(asdict(twice)))["kinds"]["type"] == 2


def test_no_errors() -> None:
    found = report([GOLD], [GOLD])
    assert not any(found.kinds.values()) and not found.confusions and not found.lengths
    with pytest.raises(FenjieError, match="another text"):
        report([GOLD], [Sentence("x")])
