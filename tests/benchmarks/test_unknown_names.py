"""Names that nobody bears, in annotated sentences."""

from __future__ import annotations

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.blended import KINDS
from benchmarks.silver.known_names import WORDS, listed
from benchmarks.unknown_names import IN_LATIN, TIMES, exchanged
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


def test_names_in_latin_letters_are_in_no_list() -> None:
    known = {name for file in WORDS.glob("*.txt") for name in file.read_text().split()}
    for file in IN_LATIN.values():
        assert known.isdisjoint(listed(file))
    (persons,) = (kind for kind in KINDS if kind.halves is not None and kind.label == "PER")
    old = [sentence("[王小明/PER]从[华为/ORG]去了[腾讯/ORG]")]
    for one in exchanged(old, persons, Lexicon.build(["腾为"])):
        ((_, place),) = one.places
        assert place.of(one.new.text) in listed(IN_LATIN["PER"])
        assert one.new.text.endswith("从华为去了腾讯")
