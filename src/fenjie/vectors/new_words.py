"""Words for the lexicon of a segmenter: those mined from raw text that are new as words.

Mining finds phrases too. A mined stretch is left out where

- words of the dictionaries, together with characters that are often words by themselves, make it
  up: 共享单车 is 共享 and 单车, but neither 微 nor 博 is often a word;
- a segmented text has it, and more often cut, or cut across, than as one word.

Words that several other dictionaries agree on need no such care, but for the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from fenjie.errors import FenjieError, FileError
from fenjie.files import read_lines
from fenjie.lexicon.lexicon import Lexicon
from fenjie.text.span import Sentence

LONGEST = 4
"""Characters of the longest new word; longer ones are nearly all phrases."""

LEAST = 20
"""Number of times that a new word, or a character as a word by itself, occurs at least."""

FREE = 0.15
"""Share of the occurrences of a character in which it is a word by itself, at least."""


BALANCE = -2
"""Places where a word that dictionaries agree on is cut in segmented text, beyond those where it is
one: a few may be chance."""


class Listed(NamedTuple):
    """A line of the file that `fenjie vectors words` writes.

    Attributes:
        word: the word.
        times: number of its occurrences.
        sources: where it comes from; `mined`, or names of dictionaries.
    """

    word: str
    times: int
    sources: frozenset[str]


def read_list(path: Path) -> Iterator[Listed]:
    """The lines of a file that `fenjie vectors words` wrote.

    Raises:
        FileError: the file cannot be read, or a line is none of these.
    """
    for number, line in read_lines(path):
        word, times, *sources = line.split() if line.split()[2:] else ("", "")
        if not times.isdecimal():
            expected = "a word, how often it occurs, where it comes from"
            raise FileError(path, "not a word", line=number, found=line, expected=expected)
        yield Listed(word, int(times), frozenset(name for name in sources if name[0].isalpha()))


def new_words(listed: Sequence[Listed], segmented: Sequence[Sentence]) -> list[Listed]:
    """The new words among those that were mined, in their order.

    Args:
        listed: the words of raw text.
        segmented: sentences with their words.
    """
    words = Counter(word for sentence in segmented for word in sentence.words)
    known = {one.word for one in listed if one.sources != {"mined"}}
    known |= {word for word, times in words.items() if times > 1 and len(word) > 1}
    free = free_characters(words)
    found = [
        one
        for one in listed
        if one.sources == {"mined"}
        and one.times >= LEAST
        and len(one.word) <= LONGEST
        and not made_up(one.word, known, free)
    ]
    cut = cut_words(Lexicon.build(one.word for one in found), segmented)
    return [one for one in found if one.word not in cut]


def shared_words(
    listed: Sequence[Listed],
    segmented: Sequence[Sentence],
    sources: Collection[str],
    known: Sequence[Lexicon],
) -> list[Listed]:
    """The words that all of some sources have and a segmenter lacks, in their order.

    Args:
        listed: the words of raw text.
        segmented: sentences with their words.
        sources: names of dictionaries.
        known: dictionaries that the segmenter has.

    Raises:
        FenjieError: no word comes from one of the sources.
    """
    named = frozenset(chain.from_iterable(one.sources for one in listed))
    if missing := sorted(set(sources) - named):
        raise FenjieError(
            f"no word is from {missing[0]!r}; expected some of {', '.join(sorted(named))}"
        )
    found = [
        one
        for one in listed
        if one.sources.issuperset(sources)
        and one.times >= LEAST
        and len(one.word) <= LONGEST
        and not any(one.word in lexicon for lexicon in known)
    ]
    cut = cut_words(Lexicon.build(one.word for one in found), segmented, BALANCE)
    return [one for one in found if one.word not in cut]


def free_characters(words: Counter[str]) -> set[str]:
    """The characters that are often words by themselves.

    Args:
        words: the number of occurrences of each word.
    """
    characters = Counter[str]()
    for word, times in words.items():
        characters.update({character: times * word.count(character) for character in set(word)})
    return {
        word
        for word, times in words.items()
        if len(word) == 1 and times >= LEAST and times >= FREE * characters[word]
    }


def made_up(word: str, known: set[str], free: set[str]) -> bool:
    """Whether two or more known words and free characters, side by side, are the word."""
    reached = [True] + [False] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            part = word[start:end]
            if reached[start] and part != word and (part in known or part in free):
                reached[end] = True
    return reached[-1]


def cut_words(words: Lexicon, segmented: Sequence[Sentence], least: int = 0) -> set[str]:
    """The words that are cut, or cut across, in more than half of their places.

    Args:
        words: those that are looked at.
        segmented: sentences with their words.
        least: the places where a word is one, less those where it is cut, are fewer than this.
    """
    whole = Counter[str]()
    for place in places(words, segmented):
        whole[place.word] += 1 if place.at_edges and place.uncut else -1
    return {word for word, balance in whole.items() if balance < least}


class Place(NamedTuple):
    """Where a segmented text has the characters of a word.

    Attributes:
        word: the word.
        at_edges: whether words begin and end there with it.
        uncut: whether no word begins inside of it.
    """

    word: str
    at_edges: bool
    uncut: bool


def places(words: Lexicon, segmented: Iterable[Sentence]) -> Iterator[Place]:
    """All places of the words of a lexicon in sentences with their words."""
    for sentence in segmented:
        text, edges = sentence.text, {0, *(span.end for span in sentence.spans)}
        for start, end, _ in zip(*words.match(text), strict=True):
            uncut = edges.isdisjoint(range(start + 1, end))
            yield Place(text[start:end], {start, end} <= edges, uncut)
