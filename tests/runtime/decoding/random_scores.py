"""Random scores of tags and transitions, for the tags of one label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fenjie.text.tags import TagSet

Floats = NDArray[np.float64]


LENGTHS = np.array([4, 1, 0, 3])


TAGS = TagSet(["A"])


def make(constrained: bool = True) -> tuple[Floats, Floats]:
    """Random scores `[4, 4, tags]` and a table."""
    generator = np.random.default_rng(0)
    table = generator.normal(size=(len(TAGS) + 2, len(TAGS)))
    if constrained:
        table[~np.vstack((TAGS.allowed, TAGS.begins, TAGS.ends))] = -np.inf
    return 2 * generator.normal(size=(4, 4, len(TAGS))), table
