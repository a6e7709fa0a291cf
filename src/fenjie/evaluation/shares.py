"""The parts common to scores of words and entities: pairs of sentences, precision, recall, F1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from fenjie.errors import FenjieError, shorten
from fenjie.text.span import Sentence


class Counted(Protocol):
    """The counts of a comparison: words or entities in gold, predicted, and in both."""

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


def pairs(
    gold: Sequence[Sentence], predicted: Sequence[Sentence]
) -> Iterator[tuple[Sentence, Sentence]]:
    """Each gold sentence with its prediction.

    Raises:
        FenjieError: the sentences do not correspond.
    """
    if len(gold) != len(predicted):
        raise FenjieError(f"{len(predicted)} predicted sentences for {len(gold)} gold sentences")
    for number, (right, answer) in enumerate(zip(gold, predicted, strict=True), 1):
        if right.text != answer.text:
            place = 0
            while answer.text[place : place + 1] == right.text[place : place + 1]:
                place += 1
            found, expected = (_from(place, text) for text in (answer.text, right.text))
            raise FenjieError(
                f"sentence {number}: the prediction has another text from character {place + 1} "
                f"on; found {found}, expected {expected}"
            )
        yield right, answer


BEFORE = 10
"""Characters shown before the one in which two texts differ."""


def _from(place: int, text: str) -> str:
    """A text from a little before a place on, shortened."""
    start = max(0, place - BEFORE)
    return shorten("…" * bool(start) + text[start:])
