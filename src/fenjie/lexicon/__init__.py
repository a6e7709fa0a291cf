"""Word lists and vectors, without torch: which stretches of a text are words of a lexicon.

What this package offers is imported when first used: a model may need none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fenjie.lexicon.lexicon import Lexicon
    from fenjie.lexicon.matching import Matches
    from fenjie.lexicon.units import UnitVectors
    from fenjie.lexicon.word_vectors import WordVectors

__all__ = ["Lexicon", "Matches", "UnitVectors", "WordVectors"]

_HOMES = {
    "Lexicon": "fenjie.lexicon.lexicon",
    "Matches": "fenjie.lexicon.matching",
    "UnitVectors": "fenjie.lexicon.units",
    "WordVectors": "fenjie.lexicon.word_vectors",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
