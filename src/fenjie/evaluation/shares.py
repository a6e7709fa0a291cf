"""Precision, recall and F1 from the counts of a comparison, and how scores are written."""

from __future__ import annotations

from typing import Protocol


class Counted(Protocol):
    """The counts of a comparison.

    Attributes:
        gold: number of words or entities in the gold sentences.
        predicted: number of them in the predicted sentences.
        correct: number of them in both.
    """

    @property
    def gold(self) -> int: ...
    @property
    def predicted(self) -> int: ...
    @property
    def correct(self) -> int: ...


class Shares:
    """The scores: shares between 0 and 1, and not a number where there is nothing to count."""

    __slots__ = ()

    @property
    def precision(self: Counted) -> float:
        """The correct ones among the predicted ones."""
        return share(self.correct, self.predicted)

    @property
    def recall(self: Counted) -> float:
        """The correct ones among the gold ones."""
        return share(self.correct, self.gold)

    @property
    def f1(self: Counted) -> float:
        """The harmonic mean of precision and recall."""
        return share(2 * self.correct, self.gold + self.predicted)


def share(part: int, whole: int) -> float:
    """A part of a whole; not a number where the whole is 0."""
    return part / whole if whole else float("nan")


def per_cent(value: float) -> str:
    """A share in per cent with two digits; a dash for not a number."""
    return "–" if value != value else f"{100 * value:.2f}"


def or_none(value: float) -> float | None:
    """A score for JSON: None for not a number."""
    return None if value != value else value
