"""User words: words that a segmenter must find, whatever its model says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, FileError, shorten
from fenjie.files import read_lines
from fenjie.lexicon import Lexicon
from fenjie.lexicon.keys import LONGEST
from fenjie.runtime.rows import SEPARATOR, Row, origins
from fenjie.runtime.rules.graphemes import clusters
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import code_points

Offsets = NDArray[np.int64]

COMMENT = "#"
"""The first column of a line of a file that is a comment."""

_COLUMN = re.compile(r"\d+(?:\.\d+)?|[a-z][a-z0-9]*|[A-Z]+")
"""A frequency, or a part of speech as jieba and the treebanks write it."""

_LATIN = np.array([chr(code).isalpha() + 2 * chr(code).isdecimal() for code in range(0x251)])
_LATIN[-1] = 0
"""1 for a Latin letter, 2 for a digit; the last entry stands for all code points after it."""


class UserWords:
    """The user words of a segmenter. A change holds from the next text on.

    They are looked for in the text as the model's normalisation makes it, from left to right, at
    each place the longest first; each one found is exactly one word, against the model and against
    the rules that keep numbers, Latin words and addresses whole. Where two overlap, the one that
    begins first wins. Whitespace always ends a word, and no word begins or ends inside of what a
    reader sees as one character (a letter and its accent, an emoji of several parts). All else is
    as without user words.

    Digits and letters stand for themselves, also for a model that does not tell them apart. A word
    is kept as it is looked for: `ＡＩ` is `AI` where width is folded. Many threads may read and
    change the words at once.
    """

    def __init__(self, normaliser: Normaliser) -> None:
        """No words yet.

        Args:
            normaliser: that of the model; classes of digits and letters are left out.
        """
        self.normaliser = replace(normaliser, digits=False, latin=False)
        self._words: dict[str, str | None] = {}
        self._matcher: Matcher | None = None
        self._changed = False
        self._lock = Lock()

    def add(self, words: str | Iterable[str]) -> None:
        """Add a word or several: all of them, or none where one is refused.

        Many words are added faster in one call.

        Raises:
            FenjieError: a word is empty or holds whitespace.
        """
        self.put(dict.fromkeys(_listed(words)))

    def put(self, words: Mapping[str, str | None]) -> None:
        """Add words with their labels, as a tagger of entities needs them; see `add`."""
        added = {self._checked(word): label for word, label in words.items()}
        with self._lock:
            self._words |= added
            self._changed = True

    def copy(self) -> UserWords:
        """The words as they are now, to be changed without a change to these."""
        other = UserWords(self.normaliser)
        with self._lock:
            other._words, other._matcher = dict(self._words), self._matcher
            other._changed = self._changed
        return other

    def check(self, words: Iterable[str]) -> None:
        """Refuse words that `add` would refuse.

        Raises:
            FenjieError: as `add`.
        """
        for word in words:
            self._checked(word)

    def remove(self, words: str | Iterable[str]) -> None:
        """Remove a word or several: all of them, or none where one is no user word.

        Raises:
            FenjieError: one is no user word.
        """
        removed = dict.fromkeys(map(self._checked, _listed(words)))
        with self._lock:
            for word in removed:
                if word not in self._words:
                    raise FenjieError(f"no user word {shorten(word)}")
            for word in removed:
                del self._words[word]
            self._changed = True

    def __contains__(self, word: object) -> bool:
        """Whether a word is among them."""
        return isinstance(word, str) and self.normaliser(word).text in self._words

    def __len__(self) -> int:
        """The number of words."""
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        """The words as they are looked for, in the order in which they were added."""
        with self._lock:
            return iter(tuple(self._words))

    def __repr__(self) -> str:
        """The number of words."""
        return f"<{len(self)} user words>"

    def __getstate__(self) -> dict[str, Any]:
        """The words, for another process, without what it makes by itself."""
        with self._lock:
            own = {"_lock": None, "_matcher": None, "_changed": True}
            return {**self.__dict__, "_words": dict(self._words), **own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the words of another process."""
        self.__dict__.update(state)
        self._lock = Lock()

    @property
    def matcher(self) -> Matcher | None:
        """A matcher of the words as they are now; None where there are none."""
        if self._changed:
            with self._lock:
                if self._changed:
                    self._matcher = Matcher(self._words, self.normaliser) if self._words else None
                    self._changed = False
        return self._matcher

    def _checked(self, word: str) -> str:
        if not isinstance(word, str) or not word:
            raise FenjieError(f"not a user word; found {shorten(word)}, expected a text")
        normalised = self.normaliser(word).text
        if any(map(str.isspace, word + normalised)):
            raise FenjieError(f"a user word cannot hold whitespace; found {shorten(word)}")
        return normalised


class Occurrences(NamedTuple):
    """Where user words are in the joined texts of a row, none over another.

    Attributes:
        start: where they start, `[words]`, rising.
        end: where they end.
        labels: the label of each, None where it has none.
    """

    start: Offsets
    end: Offsets
    labels: Iterator[str | None]


class Matcher:
    """Finds words of any length in a text. It never changes.

    Attributes:
        labels: the words, and the label of each that has one.
    """

    def __init__(self, words: Mapping[str, str | None], normaliser: Normaliser) -> None:
        """Prepare the search for some words.

        Args:
            words: the words, normalised, and the label of each.
            normaliser: makes texts like the words.
        """
        self.labels = dict(words)
        self._normaliser = normaliser
        self._single = np.unique(code_points("".join(word for word in words if len(word) == 1)))
        # Words too long for a lexicon are found by their beginning, then in a trie.
        self._lexicon = Lexicon.build(word[:LONGEST] for word in words)
        self._long = Blocks(word for word in words if len(word) >= LONGEST)

    def find_in(self, row: Row) -> Occurrences:
        """The words that the texts of a row are made to have, as `find` says."""
        normalised = [self._normaliser(text) for text in row.texts]
        place = np.append(origins(normalised), len(row.original))
        edges = np.diff(place, prepend=-1) > 0
        found = clusters(row.original)
        if found is not None:
            edges &= ~np.append(found[0], False)[place]
        text = SEPARATOR.join(part.text for part in normalised)
        edges &= ~inside_latin(code_points(text))
        start, end = self.find(text, edges)
        words = (text[low:high] for low, high in zip(start.tolist(), end.tolist(), strict=True))
        return Occurrences(place[start], place[end], map(self.labels.__getitem__, words))

    def cover(self, row: Row) -> NDArray[np.bool_]:
        """Which characters of the joined texts of a row belong to the word of the one before."""
        words = self.find_in(row)
        steps = np.zeros(len(row.original) + 1, dtype=np.int8)
        steps[words.start + 1] += 1
        steps[words.end] -= 1
        covered: NDArray[np.bool_] = np.cumsum(steps[:-1]) > 0
        return covered

    def find(self, text: str, edges: NDArray[np.bool_]) -> tuple[Offsets, Offsets]:
        """The words that a text is made to have: leftmost, then longest, none over another.

        Args:
            text: a text.
            edges: where a word may begin or end, `[length + 1]`.

        Returns:
            Where they start and end, `[words]` each, rising.
        """
        start, end = self._matches(text)
        allowed = edges[start] & edges[end]
        longest = np.zeros(len(text), dtype=np.int64)
        prefix = end - start == LONGEST
        short = allowed & ~prefix if self._long else allowed
        np.maximum.at(longest, start[short], end[short])
        long = set(start[prefix & edges[start]].tolist()) if self._long else set[int]()
        begins = np.flatnonzero(longest).tolist()
        chosen: list[tuple[int, int]] = []
        free = 0
        for first in sorted(long.union(begins)) if long else begins:
            if first < free:
                continue
            last = int(longest[first])
            if first in long:
                last = max(last, self._long.longest(text, first, edges))
            if last:
                chosen.append((first, last))
                free = last
        starts, ends = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
        return starts, ends

    def _matches(self, text: str) -> tuple[Offsets, Offsets]:
        """Every occurrence of every word, and of the first `LONGEST` characters of longer ones."""
        codes = code_points(text)
        start, end, _ = self._lexicon.match_codes(codes, np.array([len(codes)]))
        if len(self._single):
            single = np.flatnonzero(np.isin(codes, self._single))
            start, end = np.append(single, start), np.append(single + 1, end)
        return start, end


class Blocks:
    """A trie of long words, `LONGEST` characters a step: many words may begin alike."""

    def __init__(self, words: Iterable[str]) -> None:
        """Put words in.

        Args:
            words: each of at least `LONGEST` characters.
        """
        self._next: dict[str, Blocks] = {}
        self._tails: dict[int, set[str]] = {}
        for word in words:
            node = self
            for at in range(0, len(word) - LONGEST + 1, LONGEST):
                node = node._next.setdefault(word[at : at + LONGEST], Blocks(()))
            tail = word[len(word) // LONGEST * LONGEST :]
            node._tails.setdefault(len(tail), set()).add(tail)

    def __bool__(self) -> bool:
        """Whether there is any word."""
        return bool(self._next)

    def longest(self, text: str, first: int, edges: NDArray[np.bool_]) -> int:
        """Where the longest word ends that begins at a place and ends where it may; 0 for none."""
        node: Blocks | None = self
        at, found = first, 0
        while node is not None:
            for size, tails in node._tails.items():
                end = at + size
                if end > found and text[at:end] in tails and edges[end]:
                    found = end
            node, at = node._next.get(text[at : at + LONGEST]), at + LONGEST
        return found


def read_words(path: str | PathLike[str]) -> list[str]:
    """The words of a file: UTF-8, a word a line, as in the user dictionaries of jieba.

    After the word, after spaces or tabs, a frequency and a part of speech may stand; they are
    ignored. So are empty lines, and lines that begin with `#` and whitespace.

    Raises:
        FileError: the file cannot be read, or something else stands after a word.
    """
    words = []
    for number, line in read_user_lines(path):
        if not (columns := line.split()) or columns[0] == COMMENT:
            continue
        if not all(map(_COLUMN.fullmatch, columns[1:])):
            raise FileError(
                path,
                "a user word cannot hold whitespace",
                line=number,
                found=line,
                expected="a word, after it at most its frequency and part of speech",
            )
        words.append(columns[0])
    return words


def inside_latin(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which edges lie between two Latin letters or two digits: `[length + 1]`."""
    kind = _LATIN[np.minimum(codes, len(_LATIN) - 1)]
    inside = np.zeros(len(codes) + 1, dtype=bool)
    inside[1:-1] = (kind[1:] == kind[:-1]) & (kind[1:] > 0)
    return inside


def read_user_lines(path: str | PathLike[str]) -> Iterator[tuple[int, str]]:
    """The lines of a file of user words, with their numbers.

    Raises:
        FileError: the file cannot be read, or is not UTF-8.
    """
    try:
        yield from read_lines(path)
    except FileError as error:
        if error.line is None:
            raise
        message = "not utf-8 text"
        raise FileError(path, message, line=error.line, expected="user words in utf-8") from error


def _listed(words: str | Iterable[str]) -> list[str]:
    return [words] if isinstance(words, str) else list(words)
