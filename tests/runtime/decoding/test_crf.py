"""Decoding in numpy beside its definition."""

from __future__ import annotations

import numpy as np
import pytest

from fenjie.errors import FenjieError
from fenjie.runtime.decoding import crf
from fenjie.runtime.decoding.forward_backward import ForwardBackward, Steps
from fenjie.text.span import Span
from fenjie.text.tags import TagSet
from tests.builders import marginals
from tests.reference import crf as literal
from tests.runtime.decoding.random_scores import LENGTHS, TAGS, make


def test_long_rows_have_their_best_tags() -> None:
    """Of a row that repeats itself, the best tags repeat themselves; in float32 they did not."""
    generator, (_, table) = np.random.default_rng(0), make()
    part = 10 + generator.normal(size=(1, 7, table.shape[1])) / 5
    row = np.tile(part.astype(np.float32), (1, 25_000, 1))
    best = crf.viterbi(row, np.array([row.shape[1]]), table.astype(np.float32))
    middle = best[0].reshape(-1, 7)[100:-100]
    assert (middle == middle[0]).all()


@pytest.mark.parametrize("constrained", [True, False])
def test_best_tags_and_marginals(constrained: bool) -> None:
    scores, table = make(constrained)
    best = crf.viterbi(scores, LENGTHS, table)
    probabilities = marginals(scores, LENGTHS, table)
    assert best.shape == (4, 4)
    assert probabilities.shape == scores.shape
    for row, length in enumerate(LENGTHS):
        known = scores[row, :length]
        if length:
            assert tuple(best[row, :length]) == literal.paths(known, table)[0][1]
            np.testing.assert_allclose(
                probabilities[row, :length], literal.marginals(known, table), atol=1e-12
            )
        assert (best[row, length:] == crf.NO_TAG).all()
        assert (probabilities[row, length:] == 0).all()


def fixing(scores: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    """The scores with all tags forbidden but the fixed ones, where there are some."""
    free = (fixed == crf.NO_TAG)[..., None] | (fixed[..., None] == np.arange(scores.shape[2]))
    return np.where(free, scores, -np.inf)


def test_forbidden_tags_are_on_no_path() -> None:
    scores, table = make()
    fixed = np.full((4, 4), crf.NO_TAG)
    fixed[0, 1:3] = TAGS.path("A", 2)
    fixed[1, 0] = TAGS.path("A", 1)[0]
    fixed[3, 2] = 0
    best = crf.viterbi(fixing(scores, fixed), LENGTHS, table)
    for row in (0, 1, 3):
        length = LENGTHS[row]
        held = fixed[row, :length]
        expected = next(
            path
            for _, path in literal.paths(scores[row, :length], table)
            if all(want in (crf.NO_TAG, have) for want, have in zip(held, path, strict=True))
        )
        assert tuple(best[row, :length]) == expected


def test_a_sentence_without_allowed_tags() -> None:
    scores, table = make()
    fixed = np.full((4, 4), crf.NO_TAG)
    fixed[3, :2] = [TAGS.tags.index("B-A"), 0]
    with pytest.raises(FenjieError, match="sentence 3 of the batch has no tags"):
        crf.viterbi(fixing(scores, fixed), LENGTHS, table)


def test_ties_go_to_the_smaller_tag_from_the_end() -> None:
    table = np.where(np.vstack((TAGS.allowed, TAGS.begins, TAGS.ends)), 0.0, -np.inf)
    scores = np.zeros((4, 4, len(TAGS)), dtype=np.float32)
    scores[0, 1:3, 0] = -1
    best = crf.viterbi(scores, LENGTHS, table)
    assert tuple(best[0]) == literal.paths(scores[0], table)[0][1]
    assert best[3].tolist() == [0, 0, 0, crf.NO_TAG]


def test_tags_that_are_each_the_likeliest_may_be_another_path_than_the_best() -> None:
    """Of two characters O O has 0.45, O S 0.46 and S O 0.09."""
    single = TAGS.tags.index("S-A")
    table = np.full((len(TAGS) + 2, len(TAGS)), -50.0)
    table[-2:] = 0.0
    table[0, 0], table[0, single], table[single, 0] = np.log([0.45, 0.46, 0.09])
    scores, lengths = np.zeros((1, 2, len(TAGS))), np.array([2])
    sums = ForwardBackward(scores, lengths, Steps.of(table))
    assert sums.joint.argmax(axis=-1)[:, 0].tolist() == [0, 0]
    assert crf.likeliest(scores, lengths, table, sums).tolist() == [[0, single]]


def test_padding_and_neighbours_change_nothing() -> None:
    scores, table = make()
    spans = [[Span(0, length, "A")] if length else [] for length in LENGTHS]
    wild = scores.copy()
    for row, length in enumerate(LENGTHS):
        wild[row, length:] = 1e6
    wide = np.concatenate((wild, np.full((4, 5, len(TAGS)), -1e6)), axis=1)
    best, sure = (
        crf.viterbi(wide, LENGTHS, table),
        crf.confidence(wide, LENGTHS, table, TAGS, spans),
    )
    for row, length in enumerate(LENGTHS):
        alone = scores[row : row + 1, :length], LENGTHS[row : row + 1], table
        assert crf.viterbi(*alone)[0].tolist() == best[row, :length].tolist()
        (expected,) = crf.confidence(*alone, TAGS, spans[row : row + 1])
        np.testing.assert_allclose(sure[row], expected, rtol=1e-12)


def test_scores_far_apart() -> None:
    tags = TagSet(list("ABCDEFG"))
    generator = np.random.default_rng(0)
    table = np.where(np.vstack((tags.allowed, tags.begins, tags.ends)), 0.0, -np.inf)
    # One tag of each character has 100, which seldom fits its neighbours.
    scores = np.full((3, 30, len(tags)), -100, dtype=np.float32)
    np.put_along_axis(scores, generator.integers(len(tags), size=(3, 30, 1)), 100, axis=2)
    lengths = np.array([30, 7, 1])
    probabilities = marginals(scores, lengths, table)
    np.testing.assert_allclose(probabilities[0].sum(-1), 1)
    for row, length in enumerate(lengths):
        known = scores[row, :length].astype(np.float64)
        total = literal.log_z_by_recursion(known, table)
        known[length // 2, 1:] = -np.inf
        expected = np.exp(literal.log_z_by_recursion(known, table) - total)
        assert probabilities[row, length // 2, 0] == pytest.approx(expected, abs=1e-12)
    assert np.isfinite(marginals(scores * 1000, lengths, table)).all()
