"""Names of the standards of segmentation that a model knows: `pku`, `msr` and the like."""

from __future__ import annotations

from collections.abc import Sequence

from fenjie.errors import FenjieError

MOST = 32
"""The most standards that a model can have, as many as the bits of a number."""


def check_standards(names: Sequence[str]) -> None:
    """Refuse names that no model can have.

    Raises:
        FenjieError: a name is empty or repeated, has other characters than letters, digits, points,
            hyphens and underscores, or there are more than `MOST`.
    """
    for name in names:
        if not name or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
            expected = "letters, digits, '.', '-' and '_'"
            raise FenjieError(f"standard {name!r} is no name of a standard; expected {expected}")
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise FenjieError(f"standard {again!r} is named twice")
    if len(names) > MOST:
        raise FenjieError(f"standard: found {len(names)} of them; expected at most {MOST}")
