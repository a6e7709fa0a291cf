"""Ranges of settings, written beside their types: `epochs: Annotated[int, Range(1, 10_000)]`.

`fenjie.recipe.toml` checks them where a file is read, and names the line.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple


class Range(NamedTuple):
    """The numbers from `least` to `most`; NaN and infinity are in no range.

    Attributes:
        least: the least of them.
        most: the greatest of them.
        above: whether `least` itself is left out.
        below: whether `most` itself is left out.
    """

    least: float
    most: float
    above: bool = False
    below: bool = False

    def __contains__(self, value: object) -> bool:
        """Whether a number is within the range."""
        assert isinstance(value, int | float)
        low = self.least < value if self.above else self.least <= value
        return low and (value < self.most if self.below else value <= self.most)

    def __str__(self) -> str:
        """The range in words."""
        low = f"above {self.least:,}" if self.above else f"from {self.least:,}"
        return f"{low} {f'and below {self.most:,}' if self.below else f'to {self.most:,}'}"


Count = Annotated[int, Range(0, 1_000_000_000)]
"""A number of things, perhaps none."""

Size = Annotated[int, Range(1, 8192)]
"""A number of dimensions or heads."""

Layers = Annotated[int, Range(1, 128)]
"""A number of layers."""

Share = Annotated[float, Range(0, 1)]
"""A share of a whole, perhaps all of it."""

Rate = Annotated[float, Range(0, 1, below=True)]
"""A probability of dropping, or a decay: not all of it."""

Factor = Annotated[float, Range(0, 1e6)]
"""A factor, perhaps none."""

Millions = Annotated[float, Range(0, 1_000_000, above=True)]
"""A number of characters, in millions."""

Positive = Annotated[float, Range(0, 1e6, above=True)]
"""A factor or a width, never 0."""
