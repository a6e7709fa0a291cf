"""Random scores of tags and transitions, for each label scheme."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fenjie.text.tags import TagSet

Floats = NDArray[np.float64]


LENGTHS = np.array([4, 1, 0, 3])


TAGS = {name: TagSet(["A", "B"][: 1 + (name == "BIO")], name) for name in ("BMES", "BIO", "BIOES")}


def make(tags: TagSet, constrained: bool = True, seed: int = 0) -> tuple[Floats, Floats]:
    """Random scores `[4, 4, tags]` and a table."""
    generator = np.random.default_rng(seed)
    table = generator.normal(size=(len(tags) + 2, len(tags)))
    if constrained:
        table[~np.vstack((tags.allowed, tags.begins, tags.ends))] = -np.inf
    return 2 * generator.normal(size=(4, 4, len(tags))), table
