"""Batches by token budget."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fenjie.tasks.batches import Batches, steps

LENGTHS = st.lists(st.integers(1, 60), min_size=1, max_size=80)


@given(LENGTHS, st.integers(1, 100), st.integers(0, 5))
def test_every_sentence_once_within_the_budget(lengths: list[int], tokens: int, epoch: int) -> None:
    batches = Batches(lengths, tokens, seed=3).epoch(epoch)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[index] for index in batch)
        assert len(batch) == 1 or longest * len(batch) <= tokens


def test_a_batch_may_have_all_of_the_budget() -> None:
    assert [len(batch) for batch in Batches([4] * 6, tokens=12, seed=1).epoch(0)] == [3, 3]


def test_order_follows_from_seed_and_epoch_alone() -> None:
    lengths = np.random.default_rng(0).integers(1, 50, 300).tolist()

    def order(seed: int, epoch: int) -> list[list[int]]:
        return [batch.tolist() for batch in Batches(lengths, 200, seed).epoch(epoch)]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)
    mates = [{frozenset(batch) for batch in order(1, epoch)} for epoch in (0, 1)]
    assert len(mates[0] & mates[1]) < len(mates[0]) / 2, "batches are made anew each epoch"


def test_an_epoch_may_be_several_passes() -> None:
    lengths = np.random.default_rng(0).integers(1, 50, 30).tolist()
    once, often = Batches(lengths, 200, 1), Batches(lengths, 200, 1)
    often.passes = 3
    for epoch in (0, 2):
        passes = [batch for one in range(3) for batch in once.epoch(3 * epoch + one)]
        assert [b.tolist() for b in often.epoch(epoch)] == [b.tolist() for b in passes]


def test_little_padding() -> None:
    lengths = np.random.default_rng(0).integers(1, 200, 5000)
    batches = Batches(lengths.tolist(), 4096, 1).epoch(0)
    whole = sum(len(batch) * int(lengths[batch].max()) for batch in batches)
    assert 1 - lengths.sum() / whole < 0.08


def test_no_sentences() -> None:
    assert Batches([], 10, 1).epoch(0) == []


@pytest.mark.parametrize("processes", [1, 2, 3])
@pytest.mark.parametrize("accumulate", [1, 2, 4])
@pytest.mark.parametrize("count", [1, 5, 12])
def test_shares(count: int, accumulate: int, processes: int) -> None:
    batches = [np.array([index]) for index in range(count)]
    plan = steps(batches, accumulate, processes)
    seen = [int(batch[0]) for step in plan for share in step for batch in share]
    assert set(seen) == set(range(count))
    assert len(seen) - count < processes, "only the last step is filled up"
    for step in plan:
        assert len(step) == processes
        assert {len(share) for share in step} <= set(range(1, accumulate + 1))
        assert len({len(share) for share in step}) == 1
    assert all(len(step[0]) == accumulate for step in plan[:-1])


def test_weights_say_how_often_a_sentence_is_taken() -> None:
    weights = [2.0, 0.25, 1.0, 1.5] * 50
    batches = Batches([3] * 200, 12, seed=1, weights=weights)
    counts = np.zeros(200)
    for epoch in range(40):
        taken = np.concatenate(batches.epoch(epoch))
        assert (taken == 0).sum() == 2 and (taken == 2).sum() == 1
        counts += np.bincount(taken, minlength=200)
    assert np.abs(counts.reshape(50, 4).mean(axis=0) / 40 - weights[:4]).max() < 0.05


@pytest.mark.parametrize("sentences", [0, 3])
def test_weights_of_one_change_nothing(sentences: int) -> None:
    lengths = [3, 9, 4, 8, 1, 1, 5]
    plain = Batches(lengths, 12, 1, sentences)
    weighted = Batches(lengths, 12, 1, sentences, weights=np.ones(7))
    for one, other in zip(plain.epoch(3), weighted.epoch(3), strict=True):
        assert one.tolist() == other.tolist()


def test_an_epoch_is_never_empty() -> None:
    assert [b.tolist() for b in Batches([3, 3], 9, 1, weights=[1e-9, 1e-9]).epoch(0)] == [[0]]
