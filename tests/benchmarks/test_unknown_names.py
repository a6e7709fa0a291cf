"""Names that nobody bears, in annotated sentences."""

from __future__ import annotations

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.blended import KINDS
from benchmarks.unknown_names import TIMES, exchanged
from fenjie.lexicon.lexicon import Lexicon
from tests.benchmarks.silver.marked import sentence

FIRMS = KINDS[0]


def test_only_names_of_the_kind_are_exchanged_and_places_are_theirs() -> None:
    old = [
        sentence("[王芳/PER]从[华为/ORG]去了[腾讯/ORG]，又回[华为/ORG]"),
        sentence("[国防部/ORG]"),
        sentence("没有名字"),
    ]
    found = list(exchanged(old, FIRMS, Lexicon.build(["腾为"])))
    assert len(found) == TIMES
    for one in found:
        assert one.old == old[0]
        assert [before.of(one.old.text) for before, _ in one.places] == ["华为", "腾讯", "华为"]
        assert {after.of(one.new.text) for _, after in one.places} == {"华讯"}
        assert one.new.text == "王芳从华讯去了华讯，又回华讯"
