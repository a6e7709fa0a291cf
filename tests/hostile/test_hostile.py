"""A share of the hostile cases; `make hostile` runs them all."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from tests.hostile.case import measured
from tests.hostile.kinds import KINDS

SHARE = float(os.environ.get("SHARE", "0.1"))


NOT_YET = {"re-sealed model folders", "costly texts, entities", "costly texts, words"}
"""Kinds of which cases still fail."""


def marked(kind: str) -> object:
    marks = [pytest.mark.xfail(strict=False)] if kind in NOT_YET else []
    return pytest.param(kind, marks=marks)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [marked(kind) for kind in KINDS])
def test_no_case_fails(kind: str) -> None:
    outcome = measured(kind, lambda outcome: KINDS[kind](outcome, SHARE, 1))
    assert outcome.cases
    assert not outcome.failures, "\n".join(outcome.shown)
