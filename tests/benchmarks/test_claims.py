"""The papers' claims with corrected p-values."""

from __future__ import annotations

import pytest

from benchmarks.reproduce.claims import CLAIMS, DATA, Claim, difference, holm
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
