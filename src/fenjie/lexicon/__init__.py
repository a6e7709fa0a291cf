"""Word lists, without torch: which stretches of a text are words of a lexicon."""

from fenjie.lexicon.lexicon import Lexicon, Matches

__all__ = ["Lexicon", "Matches"]
