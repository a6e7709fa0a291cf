"""The CRF by its definition: every path through a sentence is listed and weighed.

For tiny sentences only. Tables are as `Crf.table` gives them: transitions from each tag, then the
scores of the first tag, then those of the last; -inf is forbidden.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Path = tuple[int, ...]


def score(scores: Floats, table: Floats, path: Path) -> float:
    """The score of one path: `scores [length, tags]`, `table [tags + 2, tags]`."""
    if not path:
        return 0.0
    total = float(table[-2, path[0]] + table[-1, path[-1]])
    total += sum(float(scores[at, tag]) for at, tag in enumerate(path))
    return total + sum(float(table[one, other]) for one, other in pairwise(path))


def paths(scores: Floats, table: Floats) -> list[tuple[float, Path]]:
    """All paths that are not forbidden, the best first.

    Of equally good ones first the one with the smaller tag where, seen from the end, they differ.
    """
    length, tags = scores.shape
    listed = [(score(scores, table, path), path) for path in product(range(tags), repeat=length)]
    listed = [(value, path) for value, path in listed if value > -np.inf]
    return sorted(listed, key=lambda pair: (-pair[0], pair[1][::-1]))


def log_z(scores: Floats, table: Floats) -> float:
    """The logarithm of the sum of the exponentials of all paths' scores."""
    return float(np.logaddexp.reduce([value for value, _ in paths(scores, table)]))


def probability(scores: Floats, table: Floats, holds: Callable[[Path], bool]) -> float:
    """The probability of the paths for which something holds."""
    values = [value for value, path in paths(scores, table) if holds(path)]
    return float(np.exp(np.logaddexp.reduce(values) - log_z(scores, table))) if values else 0.0


def marginals(scores: Floats, table: Floats) -> Floats:
    """The probability of each tag of each character: `[length, tags]`."""
    total = np.zeros(scores.shape)
    z = log_z(scores, table)
    for value, path in paths(scores, table):
        total[np.arange(len(path)), list(path)] += np.exp(value - z)
    return total


def log_z_by_recursion(scores: Floats, table: Floats) -> float:
    """`log_z` for sentences of any length, one character after another, on logarithms."""
    weights = table[-2] + scores[0]
    for row in scores[1:]:
        weights = np.logaddexp.reduce(weights[:, None] + table[:-2], axis=0) + row
    return float(np.logaddexp.reduce(weights + table[-1]))
