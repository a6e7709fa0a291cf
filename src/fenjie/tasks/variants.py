"""Traditional characters that are read as simplified ones."""

from __future__ import annotations

from collections.abc import Iterable

from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import Vocabulary

CJK = (*range(0x3400, 0xA000), *range(0xF900, 0xFB00), *range(0x20000, 0x2A6E0))
"""The code points among which traditional characters are looked for."""


def simplified_variants(known: Iterable[str]) -> Vocabulary:
    """Pairs of a traditional character that is not known and its simplified form that is.

    Args:
        known: the characters that a model has learnt from text.
    """
    known = frozenset(known)
    simplify = Normaliser(width=False, simplify=True)
    unknown = [character for character in map(chr, CJK) if character not in known]
    pairs = zip(unknown, (simplify(character).text for character in unknown), strict=True)
    return Vocabulary(old + new for old, new in pairs if new in known)
