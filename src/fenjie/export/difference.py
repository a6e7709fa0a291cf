"""How an exported model compares with the one that it was made from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """What differs between the answers of two models.

    Attributes:
        scores: the largest absolute difference of a score.
        changed: how many decisions differ.
        decisions: how many decisions were compared.
        what: the decisions: `gaps` or `entities`.
    """

    scores: float
    changed: int
    decisions: int
    what: str
