"""Names that nobody has, and the Latin words of a sentence that are no names.

A model that knows Temu and 朴朴 only by their letters takes every such word for the type that most
names have. A coined name stands in text as a firm, as a place, as a person or as a word that is no
name, so that what is around it decides.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from fenjie.text.span import Sentence, Span

ONSETS: Final = (
    *("b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n"),
    *("p", "pl", "pr", "qu", "r", "s", "sh", "sk", "st", "t", "tr", "v", "w", "x", "y", "z"),
)
VOWELS: Final = ("a", "e", "i", "o", "u", "ai", "ea", "ee", "ia", "io", "oo", "ou")
CODAS: Final = ("", "", "", "n", "r", "s", "x", "ll", "m", "t", "ck", "ng")

WORD: Final = "-"
"""The label of a Latin word that is no name."""

LATIN_WORD: Final = re.compile(r"(?<![A-Za-z0-9_./@-])[A-Z][A-Za-z]{2,}(?![A-Za-z0-9_./@-])")


def latin_names(number: int, chance: random.Random) -> list[str]:
    """So many names of two or three syllables, each once; one in eight as DeepSeek is written."""
    names: dict[str, None] = {}
    while len(names) < number:
        parts = 2 if chance.random() < 1 / 8 else 1
        syllables = 1 if parts == 2 else chance.choice((2, 2, 3))
        names["".join(syllabic(syllables, chance) for _ in range(parts))] = None
    return list(names)


def syllabic(syllables: int, chance: random.Random) -> str:
    """Some syllables and an end, with a capital."""
    sounds = [chance.choice(ONSETS) + chance.choice(VOWELS) for _ in range(syllables)]
    return "".join([*sounds, chance.choice(CODAS)]).capitalize()


def blends(number: int, names: Sequence[str], chance: random.Random) -> list[str]:
    """At most so many names, each the first half of one name and the second half of another."""
    pairs = ((chance.choice(names), chance.choice(names)) for _ in range(number))
    made = (one[: (len(one) + 1) // 2] + other[(len(other) + 1) // 2 :] for one, other in pairs)
    return list(dict.fromkeys(name for name in made if name not in names))


def with_words(sentence: Sentence) -> Sentence:
    """The sentence with its Latin words outside entities as entities of the label `WORD`."""
    spans = sorted([*sentence.spans, *words(sentence)], key=lambda span: span.start)
    return Sentence(sentence.text, tuple(spans))


def words(sentence: Sentence) -> Iterator[Span]:
    """The Latin words with a capital that no entity crosses."""
    for found in LATIN_WORD.finditer(sentence.text):
        start, end = found.span()
        if all(end <= span.start or span.end <= start for span in sentence.spans):
            yield Span(start, end, WORD)


def without_words(sentence: Sentence) -> Sentence:
    """The sentence without the entities of the label `WORD`."""
    return replace(sentence, spans=tuple(one for one in sentence.spans if one.label != WORD))
