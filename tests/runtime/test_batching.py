"""Batches of like length: every window once, little padding, no needless calls."""

from __future__ import annotations

import numpy as np

from fenjie.runtime.batching import BATCH, CALL, Windows, batches


def shapes(lengths: list[int]) -> list[list[int]]:
    """The lengths of the texts of each batch."""
    stop = np.cumsum(lengths)
    table = np.arange(2, 2 + stop[-1], dtype=np.int32)[:, None]
    made = list(batches(table, Windows.over(stop - lengths, stop)))
    for batch in made:
        assert batch.ids.shape[1] == batch.lengths.max()
        assert ((batch.ids[..., 0] > 0).sum(1) == batch.lengths).all()
    return [batch.lengths.tolist() for batch in made]


def test_like_lengths_share_a_call() -> None:
    assert shapes([20, 21, 19]) == [[19, 20, 21]]


def test_padding_never_costs_more_than_a_call() -> None:
    assert shapes([60, 10]) == [[10], [60]]
    assert shapes([10, 10 + CALL]) == [[10, 10 + CALL]]
    assert shapes([10, 11 + CALL]) == [[10], [11 + CALL]]
    assert shapes([10, 10, 10 + CALL]) == [[10, 10], [10 + CALL]]


def test_a_batch_has_an_end() -> None:
    made = shapes([32] * 100)
    assert sum(map(len, made)) == 100
    assert max(32 * len(batch) for batch in made) == BATCH
