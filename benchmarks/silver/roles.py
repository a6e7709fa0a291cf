"""A role within another word is no position: 记者 in 记者会, 护士 in 护士站.

`ner` marks a role wherever it is spelt. Here it is none where `segment` has no edge after it and
one after the next character, if that is 会, 站, 证 or the like. 记者会问 has the words 记者 and 会,
so that the role stays.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from benchmarks.silver.known_names import WORDS, listed
from fenjie.text.span import Span

POSITIONS = WORDS / "positions.txt"

LAST = "会级组府局团节站端证函费令台席器奖国室制馆库班赛式系法车间"
"""What a word may end with, after a role, that is no role."""


def positions() -> re.Pattern[str]:
    """The positions that are listed, the longest first."""
    return re.compile("|".join(sorted(listed(POSITIONS), key=len, reverse=True)))


def roles_in(text: str) -> set[str]:
    """What may be words that begin with a role and are none: 记者会."""
    return {match.group() for match in _with_more().finditer(text)}


def is_part(span: Span, text: str, words: Collection[int]) -> bool:
    """Whether a position is a part of another word.

    Args:
        span: an entity.
        text: the sentence.
        words: where its words begin or end.
    """
    end = span.end
    longer = end not in words and end + 1 in words
    return span.label == "POSITION" and longer and text[end] in LAST


@cache
def _with_more() -> re.Pattern[str]:
    """A role, and what a word may go on with after it."""
    return re.compile(f"(?:{positions().pattern})[{LAST}]")
