"""Word lists and vectors, without torch: which stretches of a text are words of a lexicon."""

from fenjie.lexicon.lexicon import Lexicon
from fenjie.lexicon.matching import Matches
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_vectors import WordVectors

__all__ = ["Lexicon", "Matches", "UnitVectors", "WordVectors"]
