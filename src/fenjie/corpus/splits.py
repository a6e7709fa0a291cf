"""Splits of a training set, by fixed rules."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TypeVar

from fenjie.errors import FenjieError

T = TypeVar("T")


def last_share(sentences: Sequence[T], share: float) -> tuple[list[T], list[T]]:
    """Hold the last sentences out, as the segmentation papers do.

    Returns:
        The sentences to train on, and a share of them held out, each at least one.

    Raises:
        FenjieError: the share is not between 0 and 1, or there are fewer than two sentences.
    """
    held = _held(len(sentences), share)
    return list(sentences[:-held]), list(sentences[-held:])


BLOCK = 100
"""The most sentences in a row that `in_blocks` holds out together."""


def in_blocks(sentences: Sequence[T], share: float) -> tuple[list[T], list[T]]:
    """Hold blocks of sentences out, spread evenly over the corpus.

    For a corpus of articles in order, such as MSRA's. Its last tenth is other news than the rest,
    with little more than half as many entities; and of single sentences, each tenth, most would
    have others of the same article in training, with the same names. A block is 100 sentences,
    fewer where ten blocks would not be had otherwise; the last of each stretch is held out.

    Returns:
        The sentences to train on, and a share of them held out, each at least one and in order.

    Raises:
        FenjieError: the share is not between 0 and 1, or there are fewer than two sentences.
    """
    total = len(sentences)
    held = _held(total, share)
    blocks = max(ceil(held / BLOCK), min(held, 10))
    train: list[T] = []
    dev: list[T] = []
    start = 0
    for block in range(blocks):
        # of the stretch from start to end, the last `size` sentences; for a large share these
        # may be more than an even stretch has
        size = held * (block + 1) // blocks - held * block // blocks
        end = max(total * (block + 1) // blocks, start + size)
        train += sentences[start : end - size]
        dev += sentences[end - size : end]
        start = end
    return train, dev


def _held(total: int, share: float) -> int:
    """Number of sentences of a share."""
    if not 0 < share < 1:
        raise FenjieError(f"the share held out is {share}; expected a number between 0 and 1")
    if total < 2:
        raise FenjieError(f"found {total} sentences to split; expected at least 2")
    return min(max(round(total * share), 1), total - 1)
