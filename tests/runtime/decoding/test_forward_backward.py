"""Probabilities of tags and spans, beside their definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fenjie.errors import FenjieError
from fenjie.runtime.decoding import crf
from fenjie.runtime.decoding.forward_backward import ForwardBackward, Steps, Stretches
from fenjie.text.span import Span
from tests.reference import crf as literal
from tests.runtime.decoding.random_scores import LENGTHS, TAGS, make


def test_confidence_is_the_probability_of_the_span() -> None:
    scores, table = make()
    spans = [
        [
            Span(start, end, label)
            for start, end in combinations(range(length + 1), 2)
            for label in TAGS.labels
        ]
        for length in LENGTHS
    ]
    found = crf.confidence(scores, LENGTHS, table, TAGS, spans)
    for row, length in enumerate(LENGTHS):
        known = scores[row, :length]
        expected = [
            literal.probability(known, table, lambda path, span=span: span in TAGS.decode(path))
            for span in spans[row]
        ]
        np.testing.assert_allclose(found[row], expected, atol=1e-12)


def test_no_spans_have_no_confidence() -> None:
    scores, table = make()
    found = crf.confidence(scores, LENGTHS, table, TAGS, [[], [], [], []])
    assert [each.tolist() for each in found] == [[]] * 4
    found = crf.confidence(scores, LENGTHS, table, TAGS, [[], [], [], [Span(0, 3, "A")]])
    assert [len(each) for each in found] == [0, 0, 0, 1]
    with pytest.raises(FenjieError, match="unknown label 'C'"):
        crf.confidence(scores, LENGTHS, table, TAGS, [[], [], [], [Span(0, 3, "C")]])


def test_a_long_span_has_a_confidence() -> None:
    table = np.where(np.vstack((TAGS.allowed, TAGS.begins, TAGS.ends)), 0.0, -np.inf)
    scores = np.zeros((1, 2000, len(TAGS)), dtype=np.float32)
    scores[0, np.arange(2000), TAGS.path("A", 2000)] = 20
    (found,) = crf.confidence(scores, np.array([2000]), table, TAGS, [[Span(0, 2000, "A")]])
    assert found[0] == pytest.approx(1, abs=1e-4)


def test_stretches_of_the_best_path_have_their_probability() -> None:
    scores, table = make()
    chain = ForwardBackward(scores, LENGTHS, Steps.of(table))
    best = crf.likeliest(scores, LENGTHS, table, chain)
    for row, start, end in [(0, 0, 4), (0, 1, 2), (1, 0, 1), (3, 1, 3), (0, 2, 4)]:
        known = scores[row, : LENGTHS[row]]
        paths = [tuple(best[row, start:end])]
        if end < LENGTHS[row]:
            paths += [(*paths[0], tag) for tag in range(len(TAGS))]
        for held in paths:
            stretch = slice(start, start + len(held))
            expected = literal.probability(
                known, table, lambda path, stretch=stretch, held=held: path[stretch] == held
            )
            where = (np.array([each]) for each in (row, start, start + len(held)))
            found = chain.probability(Stretches.of(*where), np.array(held))
            np.testing.assert_allclose(found, [expected], atol=1e-12)
