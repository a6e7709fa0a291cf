"""Coloured text for a terminal, and where it is wanted."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from fenjie.errors import shown

SHADES = ("36", "33")
"""Of neighbouring words."""

TYPES = ("32", "35", "34", "33", "36", "31", "92", "95", "94", "93", "96", "91")
"""Of entities, by the place of their label among those of the model."""


def in_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def wanted() -> bool:
    """Whether text may be coloured, after https://no-color.org."""
    return "NO_COLOR" not in os.environ


def paint(text: str, style: str) -> str:
    """A text in a style, such as `1;32`; its control characters are shown."""
    return f"\x1b[{style}m{shown(text)}\x1b[0m"


def styles(labels: Sequence[str]) -> dict[str, str]:
    """A style for each type of entity."""
    return {label: f"1;{TYPES[place % len(TYPES)]}" for place, label in enumerate(labels)}
