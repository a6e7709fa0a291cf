"""Scores of words by several standards, each on texts of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from fenjie.evaluation.shares import or_none
from fenjie.evaluation.word_scores import SHARES, WordScores


@dataclass(frozen=True)
class StandardScores:
    """The scores of one model by each of its standards.

    Attributes:
        standards: the scores by standard.
    """

    standards: Mapping[str, WordScores]

    @property
    def f1(self) -> float:
        """The mean over the standards: each counts as much, however large its corpus is."""
        return fmean(scores.f1 for scores in self.standards.values())

    @property
    def figures(self) -> dict[str, float]:
        """The means of the columns of a table of scores."""
        rows = [scores.figures for scores in self.standards.values()]
        return {name: fmean(row[name] for row in rows) for name in rows[0]}

    def as_dict(self) -> dict[str, Any]:
        """The means, and below them the scores and counts of each standard, for JSON."""
        every = self.standards.values()
        means = {name: fmean(getattr(scores, name) for scores in every) for name in SHARES}
        by_name = {name: scores.as_dict() for name, scores in self.standards.items()}
        return {**{name: or_none(mean) for name, mean in means.items()}, "standards": by_name}
