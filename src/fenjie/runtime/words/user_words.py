"""User words: words that a segmenter prefers, or must find whatever its model says."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, several, shorten
from fenjie.runtime.rows import SEPARATOR, Row, origins
from fenjie.runtime.rules.graphemes import clusters
from fenjie.runtime.rules.unsplittable import inside_latin
from fenjie.runtime.words.preferred import FORCED, USUAL, choose, word_bonus
from fenjie.text.invisible import visible
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import code_points

Offsets = NDArray[np.int64]


class UserWord(NamedTuple):
    """What is known of a user word.

    Attributes:
        weight: a number from 0 on, such as its frequency in a dictionary of jieba's; less than 1
            is as 1. `FORCED` for one that is found wherever it occurs.
        label: the entity that it is; None for a word.
    """

    weight: float = USUAL
    label: str | None = None


class UserWords:
    """The user words of a segmenter. A change holds from the next text on.

    They are looked for in the text as the model's normalisation makes it. Each one found is exactly
    one word, also against the rules that keep numbers, Latin words and addresses whole.

    A word is *preferred*: the words found are those of the best path over the model's own odds,
    with a bonus for each user word on it (`fenjie.runtime.words.preferred`). So 和服 is found in
    她穿和服 and not in 商品和服务. A word that is *forced* is found wherever it occurs, against the
    model: of these, from left to right, at each place the longest; where two overlap, the one that
    begins first wins, and any of them wins over one that is preferred.

    Whitespace always ends a word, and no word begins or ends inside of what a reader sees as one
    character (a letter and its accent, an emoji of several parts). All else is as without user
    words.

    Digits and letters stand for themselves, also for a model that does not tell them apart. A word
    is kept as it is looked for: `ＡＩ` is `AI` where width is folded. Many threads may read and
    change the words at once.
    """

    spaces = False
    """Whether a word may hold whitespace, of which each run is read as one space."""

    def __init__(self, normaliser: Normaliser) -> None:
        """No words yet.

        Args:
            normaliser: that of the model; classes of digits and letters are left out.
        """
        self.normaliser = replace(normaliser, digits=False, latin=False)
        self._words: dict[str, UserWord] = {}
        self._matcher: Matcher | None = None
        self._changed = False
        self._lock = Lock()

    def add(
        self,
        words: str | Iterable[str] | Mapping[str, float | None],
        *,
        weight: float | None = None,
        force: bool = False,
    ) -> None:
        """Add a word or several: all of them, or none where one is refused.

        Many words are added faster in one call. A word that is there already gets the new weight.

        Args:
            words: a word, some words, or words with their weights (None for the usual one).
            weight: how much a word is preferred, where `words` does not say it: a number from 0
                on, read as the frequencies in dictionaries of jieba's; less than 1 is as 1, and 10
                without it.
            force: whether the words are found wherever they occur.

        Raises:
            FenjieError: a word is empty or holds whitespace, or a weight is no such number.
        """
        given = words if isinstance(words, Mapping) else dict.fromkeys(listed(words))
        self.put({word: UserWord(weight_of(own, weight, force)) for word, own in given.items()})

    def put(self, words: Mapping[str, UserWord]) -> None:
        """Add words with all that is known of them; see `add`."""
        added = {self._checked(word): known for word, known in words.items()}
        with self._lock:
            self._words |= added
            self._changed = True

    @property
    def known(self) -> dict[str, UserWord]:
        """The words as they are looked for, and what is known of each; `put` adds them again."""
        with self._lock:
            return dict(self._words)

    def get(self, word: str) -> UserWord | None:
        """What is known of a word; None where it is not among them."""
        return self._words.get(self.key(word))

    def copy(self) -> Self:
        """The words as they are now, to be changed without a change to these."""
        other = type(self)(self.normaliser)
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
        removed = dict.fromkeys(map(self._checked, listed(words)))
        with self._lock:
            for word in removed:
                if word not in self._words:
                    raise FenjieError(f"no user word {shorten(word)}")
            for word in removed:
                del self._words[word]
            self._changed = True

    def __contains__(self, word: object) -> bool:
        """Whether a word is among them."""
        return isinstance(word, str) and self.key(word) in self._words

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
        key = self.key(word)
        if not key:
            raise FenjieError(f"a user word of invisible characters alone; found {shorten(word)}")
        if not self.spaces and any(map(str.isspace, word + key)):
            raise FenjieError(f"a user word cannot hold whitespace; found {shorten(word)}")
        return key

    def key(self, word: str) -> str:
        """A word as it is looked for; nothing is left of invisible characters alone."""
        text = self.normaliser(visible(word)).text
        return " ".join(text.split()) if self.spaces else text


class Candidates(NamedTuple):
    """Where user words are in the joined texts of a row.

    Attributes:
        start: where they start, `[words]`.
        end: where they end.
        words: what is known of each.
        forced: the number of those that are forced; they come first.
    """

    start: Offsets
    end: Offsets
    words: list[UserWord]
    forced: int

    def only(self, chosen: Offsets) -> Candidates:
        """Some of them by their numbers, in the order of their starts."""
        order = chosen[self.start[chosen].argsort(kind="stable")]
        words = [self.words[number] for number in order.tolist()]
        return Candidates(self.start[order], self.end[order], words, self.forced)


class Matcher:
    """Finds user words in texts. It never changes.

    Attributes:
        words: the words, and what is known of each.
    """

    def __init__(self, words: Mapping[str, UserWord], normaliser: Normaliser) -> None:
        """Prepare the search for some words.

        Args:
            words: the words, normalised.
            normaliser: makes texts like the words.
        """
        from fenjie.runtime.words.word_search import Search

        self.words = dict(words)
        self._normaliser = normaliser
        forced = [word for word, known in words.items() if known.weight == FORCED]
        preferred = [word for word, known in words.items() if known.weight != FORCED]
        self._forced = Search(forced) if forced else None
        self._preferred = Search(preferred) if preferred else None

    def find_in(self, row: Row, odds: NDArray[np.float32]) -> Candidates:
        """The words that the texts of a row are made to have, none over another, rising.

        Args:
            row: the texts.
            odds: the log-odds, by the model alone, that a word begins at each character of the
                joined texts, `[length]`, NaN where it is not asked.
        """
        found = self.candidates(row)
        number = found.forced
        if number == len(found.start):
            return found
        start, end = found.start[number:], found.end[number:]
        weight = np.array([word.weight for word in found.words[number:]])
        chosen = choose(start, end, word_bonus(weight, end - start), odds) + number
        return found.only(np.append(np.arange(number), chosen))

    def candidates(self, row: Row) -> Candidates:
        """The words that may be found in the texts of a row.

        Those that are preferred may be over each other, but over none that is forced.
        """
        text, edges, place = self._read(row)
        start = end = np.zeros(0, dtype=np.int64)
        if self._forced is not None:
            start, end = self._forced.longest(text, edges)
        forced = len(start)
        if self._preferred is not None:
            first, last = self._preferred.all(text, edges)
            free = start.searchsorted(last) == end.searchsorted(first, side="right")
            start, end = np.append(start, first[free]), np.append(end, last[free])
        places = zip(start.tolist(), end.tolist(), strict=True)
        words = [self.words[text[low:high]] for low, high in places]
        return Candidates(place[start], place[end], words, forced)

    def occurrences(self, text: str) -> set[tuple[int, int]]:
        """Where words stand in a text as it is, over each other too, whatever is beside them."""
        edges, places = np.ones(len(text) + 1, dtype=bool), set[tuple[int, int]]()
        for search in filter(None, (self._forced, self._preferred)):
            start, end = search.all(text, edges)
            places.update(zip(start.tolist(), end.tolist(), strict=True))
        return places

    def cover(self, row: Row) -> NDArray[np.bool_]:
        """Which characters of the joined texts of a row belong to the word of the one before.

        Of the words that may be found, from left to right the longest ones.
        """
        text, edges, place = self._read(row)
        covered = np.zeros(len(row.original), dtype=bool)
        for search in filter(None, (self._forced, self._preferred)):
            start, end = search.longest(text, edges)
            steps = np.zeros(len(row.original) + 1, dtype=np.int8)
            steps[place[start] + 1] += 1
            steps[place[end]] -= 1
            covered |= np.cumsum(steps[:-1]) > 0
        return covered

    def _read(self, row: Row) -> tuple[str, NDArray[np.bool_], Offsets]:
        """The joined texts as words are looked for in them, and two things of each edge.

        Returns:
            The text; whether a word may begin or end at each edge, `[length + 1]`; and the offset
            of each edge in the joined texts as they were given.
        """
        normalised = [self._normaliser(text) for text in row.texts]
        place = np.append(origins(normalised), len(row.original))
        edges = np.diff(place, prepend=-1) > 0
        found = clusters(row.original)
        if found is not None:
            edges &= ~np.append(found[0], False)[place]
        text = SEPARATOR.join(part.text for part in normalised)
        edges &= ~inside_latin(code_points(text))
        return text, edges, place


def weight_of(own: float | None, weight: float | None, force: bool) -> float:
    """The weight of a word.

    Args:
        own: that which is given for it alone; None where there is none.
        weight: that of all the words; None where there is none.
        force: whether it is found wherever it occurs.

    Raises:
        FenjieError: a weight is no number, or one below 0 or without end.
    """
    given: Any = weight if own is None else own
    if force:
        return FORCED
    if given is None:
        return USUAL
    if isinstance(given, np.number):
        given = given.item()
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not number or not 0 <= given <= sys.float_info.max:
        found, expected = shorten(given), "a number from 0 on (or force instead)"
        raise FenjieError(f"not a weight of a user word; found {found}, expected {expected}")
    return float(given)


def listed(words: str | Iterable[str]) -> list[str]:
    """A word, or several, as a list.

    Raises:
        FenjieError: one is no text.
    """
    if isinstance(words, str):
        return [words]
    given = list(several(words, "words"))
    for word in given:
        if not isinstance(word, str):
            raise FenjieError(f"not a user word; found {shorten(word)}, expected a text")
    return given
