"""Traditional characters that are read as simplified ones."""

from __future__ import annotations

from collections.abc import Iterable

from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import Vocabulary

CJK = (*range(0x3400, 0xA000), *range(0xF900, 0xFB00), *range(0x20000, 0x2A6E0))
"""The code points among which traditional characters are looked for."""


def simplified_variants(texts: Iterable[str], known: Iterable[str] = ()) -> Vocabulary:
    """Pairs of a traditional character and its simplified form, where only the latter is known.

    Known are the characters of the texts once these are simplified phrase by phrase: the few posts
    of a corpus that are in traditional characters do not make these known, but 乾, which stays in
    乾隆, is.

    Args:
        texts: those that a model learns from.
        known: other characters that it has learnt.
    """
    simplify = Normaliser(width=False, simplify=True)
    other = [character for character in map(chr, CJK) if simplify(character).text != character]
    traditional = frozenset(other)
    left = set(known)
    for text in texts:
        found = set(text)
        left |= found if traditional.isdisjoint(found) else set(simplify(text).text)
    pairs = ((old, simplify(old).text) for old in other if old not in left)
    return Vocabulary(old + new for old, new in pairs if new in left)


def folding(variants: Vocabulary | None) -> dict[int, str]:
    """What `str.translate` needs to read the first character of each pair as the second."""
    return {} if variants is None else {ord(pair[0]): pair[1] for pair in variants.units}
