"""The most frequent errors, of words or of entities, with some of their places."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

CONTEXT = 8
"""Characters of an example on either side of the error."""

EXAMPLES = 2
"""The number of places that are kept of an error."""

Side = tuple[str, ...] | None
"""The words of one side of an error, or text and label of an entity; None where there is none."""


@dataclass(frozen=True)
class Confusion:
    """The same error at several places.

    Attributes:
        kind: the kind of the error.
        gold: the gold words, or the gold entity; None where the error is spurious.
        predicted: the prediction in its place; None where it is missed.
        count: number of times this happens.
        examples: some places, with their context; the error is in brackets.
    """

    kind: str
    gold: Side
    predicted: Side
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class ErrorReport:
    """The errors of a system.

    Attributes:
        kinds: number of errors of each kind.
        confusions: the most frequent ones, the most frequent first; then by kind.
    """

    kinds: dict[str, int]
    confusions: tuple[Confusion, ...]


class Tally:
    """Counts errors, and keeps some of the places of each."""

    def __init__(self) -> None:
        """Count nothing yet."""
        self._counts: Counter[tuple[str, Side, Side]] = Counter()
        self._places: defaultdict[tuple[str, Side, Side], list[str]] = defaultdict(list)

    def add(self, kind: str, gold: Side, predicted: Side, place: str) -> None:
        """Count an error."""
        error = (kind, gold, predicted)
        self._counts[error] += 1
        if len(self._places[error]) < EXAMPLES:
            self._places[error].append(place)

    def report(self, kinds: Sequence[str], most: int) -> ErrorReport:
        """The number of errors of each kind, and the most frequent errors."""
        counts = self._counts
        order = sorted(counts, key=lambda error: (-counts[error], kinds.index(error[0])))
        return ErrorReport(
            {kind: sum(counts[error] for error in counts if error[0] == kind) for kind in kinds},
            tuple(
                Confusion(*error, counts[error], tuple(self._places[error]))
                for error in order[:most]
            ),
        )


def in_context(text: str, start: int, end: int) -> str:
    """A stretch of a text in brackets, with some characters on either side."""
    before, after = max(start - CONTEXT, 0), end + CONTEXT
    left = ("…" if before else "") + text[before:start]
    right = text[end:after] + ("…" if after < len(text) else "")
    return f"{left}[{text[start:end]}]{right}"
