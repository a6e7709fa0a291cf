"""Precision, recall and F1, from the counts that every comparison has."""

from __future__ import annotations

from typing import Protocol


class Counted(Protocol):
    """What was compared.

    Attributes:
        gold: how many there are in the gold sentences.
        predicted: in the predicted sentences.
        correct: in both.
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
    """A part of a whole; not a number where that is nothing."""
    return part / whole if whole else float("nan")


def or_none(value: float) -> float | None:
    """A score for JSON, which knows numbers only."""
    return None if value != value else value
