"""Splits of a training set, by fixed rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from fenjie.errors import FenjieError

T = TypeVar("T")


def last_share(sentences: Sequence[T], share: float = 0.1) -> tuple[list[T], list[T]]:
    """Hold the last sentences out, as the segmentation papers do.

    Args:
        sentences: at least two.
        share: the share held out, between 0 and 1, rounded to whole sentences; each side gets one
            at least.

    Returns:
        The sentences to train on and the sentences held out.

    Raises:
        FenjieError: the share is not between 0 and 1, or there are fewer than two sentences.
    """
    if not 0 < share < 1:
        raise FenjieError(f"the share held out is {share}; expected a number between 0 and 1")
    if len(sentences) < 2:
        raise FenjieError(f"found {len(sentences)} sentences to split; expected at least 2")
    held = min(max(round(len(sentences) * share), 1), len(sentences) - 1)
    return list(sentences[:-held]), list(sentences[-held:])
