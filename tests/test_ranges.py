"""Ranges of settings."""

from __future__ import annotations

import math

import pytest

from fenjie.ranges import Range


@pytest.mark.parametrize(
    ("given", "inside", "outside", "words"),
    [
        (Range(1, 10_000), (1, 10_000), (0, 10_001), "from 1 to 10,000"),
        (Range(0, 1, below=True), (0, 0.99), (1, -0.1), "from 0 and below 1"),
        (Range(0, 1, above=True, below=True), (0.5,), (0, 1), "above 0 and below 1"),
        (Range(0, 5, above=True), (5, 0.1), (0,), "above 0 to 5"),
    ],
)
def test_a_range_holds_its_numbers_and_says_so(
    given: Range, inside: tuple[float, ...], outside: tuple[float, ...], words: str
) -> None:
    assert all(value in given for value in inside)
    assert not any(value in given for value in (*outside, math.nan, math.inf, -math.inf))
    assert str(given) == words
