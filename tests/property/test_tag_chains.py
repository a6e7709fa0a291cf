"""What holds for every chain of tags: the parts agree with each other and with the definition."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fenjie.runtime.decoding import crf
from fenjie.runtime.decoding.forward_backward import ForwardBackward, Steps
from fenjie.text.span import Span
from fenjie.text.tags import TagSet
from tests.builders import marginals
from tests.reference import crf as literal

Floats = NDArray[np.float64]
Case = tuple[TagSet, Floats, NDArray[np.int64], Floats]


@st.composite
def cases(draw: st.DrawFn, length: int = 12, whole: bool = False) -> Case:
    """Tags, scores `[batch, length, tags]`, lengths and a table; whole scores make ties."""
    tags = TagSet("AB"[: draw(st.integers(0, 2))])
    lengths = np.array(draw(st.lists(st.integers(0, length), min_size=1, max_size=4)))
    generator = np.random.default_rng(draw(st.integers(0, 1000)))
    shape = len(lengths), int(lengths.max()), len(tags)
    scale = draw(st.sampled_from([0.1, 3, 40]))
    scores, table = (
        generator.normal(size=shape) * scale,
        generator.normal(size=(shape[2] + 2, shape[2])),
    )
    if whole:
        scores, table = np.sign(scores.round()), np.zeros_like(table)
    if draw(st.booleans()):
        table[~np.vstack((tags.allowed, tags.begins, tags.ends))] = -np.inf
    return tags, scores, lengths, table


@given(cases())
def test_marginals_are_probabilities(case: Case) -> None:
    _, scores, lengths, table = case
    found = marginals(scores, lengths, table)
    assert (found >= 0).all()
    real = np.arange(scores.shape[1]) < lengths[:, None]
    np.testing.assert_allclose(found.sum(-1), real, atol=1e-9)


@given(cases(length=4, whole=True))
def test_viterbi_is_the_best_path(case: Case) -> None:
    _, scores, lengths, table = case
    best = crf.viterbi(scores, lengths, table)
    for row, length in enumerate(lengths):
        if length:
            expected = literal.paths(scores[row, :length], table)[0][1]
            assert tuple(best[row, :length]) == expected


@given(cases())
def test_best_tags_are_well_formed_and_stay_where_others_are_forbidden(case: Case) -> None:
    tags, scores, lengths, table = case
    best = crf.viterbi(scores, lengths, table)
    others = best[..., None] != np.arange(len(tags))
    assert (crf.viterbi(np.where(others, -np.inf, scores), lengths, table) == best).all()
    if np.isinf(table).any():
        for row, length in zip(best, lengths, strict=True):
            spans = tags.decode(row[:length])
            assert [
                tag for span in spans for tag in tags.path(span.label, span.end - span.start)
            ] == [tag for tag in row[:length] if tag]


@given(cases())
def test_the_spans_that_hold_a_character_share_its_probability(case: Case) -> None:
    tags, scores, lengths, table = case
    if not np.isinf(table).any():
        return
    outside = marginals(scores, lengths, table)[..., 0]
    spans = [
        [
            Span(start, end, label)
            for start in range(size)
            for end in range(start + 1, size + 1)
            for label in tags.labels
        ]
        for size in lengths.tolist()
    ]
    found = crf.confidence(scores, lengths, table, tags, spans)
    for row, length in enumerate(lengths):
        total = outside[row].copy()
        for span, probability in zip(spans[row], found[row], strict=True):
            total[span.start : span.end] += probability
        np.testing.assert_allclose(total[:length], 1, atol=1e-9)


@given(cases())
def test_the_likeliest_path_is_the_best_one(case: Case) -> None:
    _, scores, lengths, table = case
    assume(scores.shape[1])
    sums = ForwardBackward(scores, lengths, Steps.of(table))
    path = crf.likeliest(scores, lengths, table, sums)
    assert (path == crf.viterbi(scores, lengths, table)).all()
