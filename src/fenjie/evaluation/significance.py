"""Whether one system scores better than another by more than chance.

Chance is two things. The sentences of a test set are a sample: what another sample would have
given is told by resampling them (`compare`). The seed of a training run is one of many: what other
seeds would have given is told by the runs themselves (`t_test`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, needing
from fenjie.evaluation.entity_scores import entities
from fenjie.evaluation.shares import pairs
from fenjie.evaluation.word_scores import score as score_words
from fenjie.text.span import Sentence

Counts = NDArray[np.int64]
"""Gold, predicted and correct spans of each sentence, `[sentences, 3]`; of runs, `[runs, …]`."""

_CELLS = 1 << 20
"""Numbers that one turn of a resampling holds at most."""


@dataclass(frozen=True)
class Comparison:
    """The F1 of two systems on the same sentences, and how far their difference can be trusted.

    All are shares between 0 and 1. Of several runs, F1 is the mean over runs.

    Attributes:
        one: F1 of each run of the first system.
        other: F1 of each run of the second.
        interval: 95 % of the differences of resampled test sets lie within (percentiles).
        p_bootstrap: how often a resampled difference is as far from the one found as that is from
            0, two-sided.
        p_randomisation: how often a difference is as large where the answers of both systems are
            exchanged in sentences drawn at random, two-sided.
        samples: number of samples for each of these.
    """

    one: tuple[float, ...]
    other: tuple[float, ...]
    interval: tuple[float, float]
    p_bootstrap: float
    p_randomisation: float
    samples: int

    @property
    def difference(self) -> float:
        """The F1 of the second system less that of the first."""
        return fmean(self.other) - fmean(self.one)

    @property
    def differences(self) -> list[float]:
        """The same for each pair of runs."""
        return [other - one for one, other in zip(self.one, self.other, strict=True)]


def entity_counts(gold: Sequence[Sentence], predicted: Sequence[Sentence]) -> Counts:
    """Count the entities of each sentence by exact spans.

    Raises:
        FenjieError: the sentences do not correspond.
    """
    rows = []
    for right, answer in pairs(gold, predicted):
        ours, theirs = set(entities(right)), set(entities(answer))
        rows.append((len(ours), len(theirs), len(ours & theirs)))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def word_counts(gold: Sequence[Sentence], predicted: Sequence[Sentence]) -> Counts:
    """Count the words of each sentence as the script of the SIGHAN bakeoffs does.

    Raises:
        FenjieError: the sentences do not correspond.
    """
    rows = []
    for right, answer in pairs(gold, predicted):
        found = score_words([right], [answer])
        rows.append((found.gold, found.predicted, found.correct))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def compare(one: Counts, other: Counts, samples: int = 10_000, seed: int = 1) -> Comparison:
    """Compare two systems, each of one or several runs, by resampling sentences.

    Args:
        one: the counts of the first system, `[runs, sentences, 3]`.
        other: those of the second, of as many runs, paired by their order.
        samples: number of resampled test sets, and of random exchanges.
        seed: of both.

    Raises:
        FenjieError: the numbers of runs or of sentences differ, or nothing is there to count.
    """
    if one.shape != other.shape:
        raise FenjieError(
            f"{other.shape[0]} runs of {other.shape[1]} sentences; "
            f"expected {one.shape[0]} of {one.shape[1]}, as many as the first system has"
        )
    if not (one[..., :2].any() or other[..., :2].any()):
        raise FenjieError("neither the file nor the systems have a span to compare")
    runs, sentences, _ = one.shape
    found_one, found_other = f1(one.sum(1)), f1(other.sum(1))
    found = float(found_other.mean() - found_one.mean())
    # [sentences, 2 * runs * 3]: what a sentence adds to the counts of every run, as numbers whose
    # products are fast, and exact
    rows = np.concatenate([one, other]).transpose(1, 0, 2).reshape(sentences, -1).astype(float)
    turned = np.roll(rows, 3 * runs, axis=1)  # with the systems in each other's place
    generator = np.random.default_rng(seed)
    chunk = max(1, _CELLS // sentences)
    differences, exchanged = [], []
    for first in range(0, samples, chunk):
        size = min(chunk, samples - first)
        drawn = generator.integers(sentences, size=(size, sentences), dtype=np.int32)
        drawn += np.arange(size, dtype=np.int32)[:, None] * sentences
        times = np.bincount(drawn.ravel(), minlength=size * sentences).reshape(size, sentences)
        differences.append(_difference(times.astype(float) @ rows, runs))
        swap = generator.integers(2, size=(size, sentences), dtype=np.int8).astype(float)
        exchanged.append(_difference(rows.sum(0) + swap @ (turned - rows), runs))
    resampled, random = np.concatenate(differences), np.concatenate(exchanged)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Comparison(
        tuple(found_one.tolist()),
        tuple(found_other.tolist()),
        (float(low), float(high)),
        _as_far(resampled - found, found),
        _as_far(random, found),
        samples,
    )


def f1(counts: NDArray[Any]) -> NDArray[np.float64]:
    """F1 of counts, `[…, 3]` to `[…]`; 1 where there is nothing to find and nothing was found."""
    total = counts[..., 0] + counts[..., 1]
    return np.where(total == 0, 1.0, 2 * counts[..., 2] / np.maximum(total, 1))


def _difference(sums: NDArray[np.float64], runs: int) -> NDArray[np.float64]:
    """The difference of each sample, from the sums of `compare`'s table: `[samples]`."""
    scores = f1(sums.reshape(len(sums), 2, runs, 3)).mean(2)
    found: NDArray[np.float64] = scores[:, 1] - scores[:, 0]
    return found


def _as_far(values: NDArray[np.float64], found: float) -> float:
    """The share of values that are as far from 0 as the one found, which counts as one of them."""
    count = int((np.abs(values) >= abs(found) - 1e-12).sum())
    return (count + 1) / (len(values) + 1)


def t_test(differences: Sequence[float]) -> float | None:
    """The p-value of the paired t-test over runs, two-sided.

    Args:
        differences: of the scores of two systems, run by run.

    Returns:
        None where there are fewer than two runs, or where they do not vary.

    Raises:
        FenjieError: SciPy, of the extra `train`, is not installed.
    """
    found = _t(differences)
    return None if found is None else float(found.pvalue)


def t_interval(differences: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean difference, by the distribution of the paired t-test over runs.

    Arguments, None and errors are those of `t_test`.
    """
    found = _t(differences)
    if found is None:
        return None
    low, high = found.confidence_interval(0.95)
    return float(low), float(high)


def _t(differences: Sequence[float]) -> Any:
    """The test, as SciPy has it."""
    if len(differences) < 2 or stdev(differences) == 0:
        return None
    with needing("the t-test over runs needs", "train"):
        from scipy.stats import ttest_1samp
    return ttest_1samp(differences, 0.0)
