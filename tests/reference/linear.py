"""The linear model of gaps, literally: for each gap, each n-gram near it, one weight."""

from __future__ import annotations

from collections.abc import Sequence

from fenjie.runtime.linear import LinearGaps

PLACES = {
    1: (-2, -1, 0, 1, 2, 3),
    2: (-2, -1, 0, 1, 2),
    3: (-2, -1, 0, 1),
    4: (-2, -1, 0),
}
"""For each order the places of the first character of the n-grams that a gap sees."""

MASK = (1 << 64) - 1


def number(character: int, place: int) -> int:
    """The hash of a character at a place of an n-gram: the finalizer of SplitMix64."""
    value = (4 * character + place + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return (value ^ value >> 31) >> 32


def row(ngram: Sequence[int], rows: int) -> int:
    """The row of an n-gram in a table of so many."""
    if len(ngram) == 1:
        return ngram[0]
    hashed = sum(number(character, place) for place, character in enumerate(ngram)) % (1 << 32)
    return hashed * rows >> 32


def scores(model: LinearGaps, text: str) -> list[int]:
    """The score of the gap before each character of a text."""
    codes = [min(ord(character), 0xFFFF) for character in text]
    numbers = [int(model.characters[code]) for code in codes]
    space = int(model.characters[ord("\n")])

    def character(at: int) -> int:
        return numbers[at] if 0 <= at < len(numbers) else space

    found = []
    for gap in range(len(text)):
        total = 0
        for order, places in PLACES.items():
            for column, place in enumerate(places):
                first = gap - 1 + place
                ngram = [character(first + step) for step in range(order)]
                table = model.tables[order - 1]
                total += int(table[row(ngram, len(table)), column])
        found.append(total)
    return found
