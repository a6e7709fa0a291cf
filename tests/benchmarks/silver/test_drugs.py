"""Sentences of medical text in which a drug is no person."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.corrected import Tagged
from benchmarks.silver.drugs import parted
from fenjie.lexicon.lexicon import Lexicon
from fenjie.text.span import Sentence, Span

DRUGS = Lexicon.build(["舍曲林", "阿莫西林"])
TEXT = "医生开了舍曲林和张力"


def tagged(*spans: Span) -> Tagged:
    """The text with each character a word but for the drug."""
    odds = np.where(np.isin(np.arange(len(TEXT)), [1, 5, 6, 9]), -9, 9).astype(np.float32)
    return Tagged(Sentence(TEXT, spans), odds, False)


def test_a_drug_is_taken_away_and_a_sentence_with_another_name_left_out() -> None:
    role = Span(0, 2, "POSITION", 0.9)
    right = tagged(role)
    wrong = tagged(role, Span(4, 7, "PER", 0.9))
    within = tagged(role, Span(5, 7, "LOC", 0.9))
    other = tagged(role, Span(8, 10, "PER", 0.9))
    answer = [right.names], [right.names] * 2
    assert parted([right, wrong, within, other], DRUGS) == answer
