"""Splits of a training set, by fixed rules."""

from __future__ import annotations

import pytest

from fenjie.corpus.splits import in_blocks, last_share
from fenjie.errors import FenjieError


def test_last_share() -> None:
    assert last_share(range(20), 0.1) == ([*range(18)], [18, 19])
    assert last_share(range(2), 0.01) == ([0], [1])
    assert last_share(range(2), 0.99) == ([0], [1])
    for sentences, share in ([1], 0.1), ([1, 2], 0.0), ([1, 2], 1.0):
        with pytest.raises(FenjieError, match="expected"):
            last_share(sentences, share)


def test_in_blocks() -> None:
    assert in_blocks(range(20), 0.1) == ([*range(9), *range(10, 19)], [9, 19])
    train, dev = in_blocks(range(20_000), 0.1)
    assert dev == [n for n in range(20_000) if n // 100 % 10 == 9]
    for total in (2, 3, 11, 13, 58, 99, 1_234, 5_678):
        for share in (0.01, 0.1, 0.33, 0.5, 0.74, 0.9, 0.93, 0.99):
            train, dev = in_blocks(range(total), share)
            assert len(dev) == len(last_share(range(total), share)[1])
            assert sorted(train + dev) == [*range(total)]
            assert train == sorted(train) and dev == sorted(dev)
    for sentences, share in ([1], 0.1), ([1, 2], 0.0), ([1, 2], 1.0):
        with pytest.raises(FenjieError, match="expected"):
            in_blocks(sentences, share)
