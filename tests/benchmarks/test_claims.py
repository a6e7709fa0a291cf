"""The papers' claims with corrected p-values."""

from __future__ import annotations

import pytest

from benchmarks.reproduce.claims import (
    CLAIMS,
    DATA,
    Claim,
    difference,
    holm,
    in_words,
)
from benchmarks.reproduce.published import find_table
from benchmarks.reproduce.records import Records


def test_holm_multiplies_the_smallest_by_the_number_of_tests() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_is_at_most_one_and_keeps_the_order() -> None:
    assert holm([0.9, 0.5, 0.8]) == [1.0, 1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.title)
def test_each_claim_is_a_row_with_a_baseline(claim: Claim) -> None:
    assert find_table(claim.table).rows[claim.row].baseline is not None


def test_a_claim_that_a_part_helps_turns_the_sign() -> None:
    records = Records()
    without = next(claim for claim in CLAIMS if claim.loses)
    for data in DATA:
        found, turned = (
            difference(claim, data, records) for claim in (without, without._replace(loses=False))
        )
        assert found and turned
        assert (found.change, found.published) == (-turned.change, -(turned.published or 0))
        assert found.p == turned.p
        assert found.interval == tuple(-end for end in reversed(turned.interval))
        assert found.interval[0] < found.change < found.interval[1]


def test_in_words_a_gain_outside_of_its_interval_is_named_and_one_inside_is_not() -> None:
    records = Records()
    lines = in_words(records).splitlines()
    for data, line in zip(DATA, lines, strict=False):
        outside, _, undecided = line.partition(". The interval")
        for claim in CLAIMS:
            found = difference(claim, data, records)
            assert found
            if not found.bert or found.published is None:
                continue
            title = claim.title.replace("Over our", "over our") + " ("
            above = found.published > found.interval[1]
            both = found.holds(0.0) and found.holds(found.published)
            items = [part.split("for ", 1)[-1].split("; ") for part in (outside, undecided)]
            said = [any(item.startswith(title) for item in part) for part in items]
            assert said == [above, both], claim.title


def test_in_words_the_counts_are_those_of_the_table() -> None:
    records = Records()
    found = [value for c in CLAIMS for d in DATA if (value := difference(c, d, records))]
    ps = [value.p for value in found]
    alone, kept = sum(p < 0.05 for p in ps), sum(p < 0.05 for p in holm(ps))
    text = in_words(records)
    assert f"Of the {len(found)} differences {alone} have a p below 0.05" in text
    assert f"{kept} of these survive" in text
