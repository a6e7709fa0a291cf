"""Preferred entities: the best path over a CRF's own scores, with a bonus for each one on it.

An entity of the user is taken where its bonus is more than what the best path loses by it. So a
name that the model has merely missed is found, and one whose characters only meet by chance is not.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.words.preferred import LONGER
from fenjie.text.tags import TagSet

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Preferences(NamedTuple):
    """Entities that are preferred, `[words]` each, over each other or not.

    Attributes:
        row: the sentence of each.
        start: its first character.
        end: the offset after its last one.
        label: the number of its label.
        bonus: what it adds to a path that has it, in log-odds.
    """

    row: Ints
    start: Ints
    end: Ints
    label: Ints
    bonus: Floats

    def only(self, chosen: NDArray[Any]) -> Preferences:
        """Some of them, by their numbers or by a truth value for each."""
        return Preferences._make(column[chosen] for column in self)


def choose(
    scores: NDArray[np.floating[Any]],
    lengths: Ints,
    table: NDArray[np.floating[Any]],
    tags: TagSet,
    words: Preferences,
) -> NDArray[np.bool_]:
    """The preferred entities on the best path of each sentence.

    A path goes from character to character, or over a whole entity at once with its bonus; it may
    not go on with that entity.

    Args:
        scores: score of each tag, `[batch, length, tags]`.
        lengths: characters of each sentence, `[batch]`.
        table: the CRF's transitions, then begin and end scores, `[tags + 2, tags]`.
        tags: the tags that are scored.
        words: the entities.

    Returns:
        Whether each is on it, `[words]`.
    """
    order = np.argsort(-lengths, kind="stable")
    search = _Search(scores[order].astype(np.float64), table.astype(np.float64), tags)
    places = np.argsort(order)[words.row]
    for word, place in zip(zip(*words, strict=True), places.tolist(), strict=True):
        search.add(place, *word[1:])
    return search.run(lengths[order])


class _Word(NamedTuple):
    """An entity: its number, its sentence, its first and last tag, its scores and bonus."""

    number: int
    row: int
    first: int
    last: int
    inside: float


class _Search:
    """The best paths of a batch, the longest sentence first."""

    def __init__(self, scores: Floats, table: Floats, tags: TagSet) -> None:
        self._scores, self._tags = scores, tags
        self._pairs, self._begin, self._end = table[:-2], table[-2], table[-1]
        self._starting: dict[int, list[_Word]] = defaultdict(list)
        self._ending: dict[int, list[_Word]] = defaultdict(list)
        self._value: list[float] = []
        self._before: list[int] = []

    def add(self, row: int, start: int, end: int, label: int, bonus: float) -> None:
        """Add an entity; see `Preferences`."""
        path = self._tags.path(self._tags.labels[label], end - start)
        inside = self._scores[row, np.arange(start, end), path].sum()
        inside += self._pairs[path[:-1], path[1:]].sum() + bonus + LONGER * (end - start)
        word = _Word(len(self._value), row, int(path[0]), int(path[-1]), float(inside))
        self._starting[start].append(word)
        self._ending[end].append(word)
        self._value.append(-np.inf)
        self._before.append(-1)

    def run(self, lengths: Ints) -> NDArray[np.bool_]:
        """Which entities are on the best paths."""
        chosen = np.zeros(len(self._value), dtype=bool)
        best = self._begin + self._scores[:, 0]
        last = np.full(best.shape, -1)
        for place in range(len(self._scores[0]) + 1):
            for word in self._starting.get(place, ()):
                self._enter(word, place, best, last)
            (ended,) = (lengths[: len(best)] == place).nonzero()
            for row in ended.tolist():
                number = self._last_of(row, place, self._end, best, last)
                while number >= 0:
                    chosen[number] = True
                    number = self._before[number]
            count = len(best) - len(ended)
            best, last = best[:count], last[:count]
            if place and count:
                best, last = self._step(place, best, last)
        return chosen

    def _enter(self, word: _Word, place: int, best: Floats, last: Ints) -> None:
        """The best path that ends with an entity."""
        number, value = -1, self._begin[word.first]
        if place:
            onward = self._pairs[:, word.first]
            number = self._last_of(word.row, place, onward, best, last)
            value = self._reached
        self._value[word.number] = float(value) + word.inside
        self._before[word.number] = number

    def _last_of(self, row: int, place: int, onward: Floats, best: Floats, last: Ints) -> int:
        """The last entity on the best path to a place, -1 for none; `_reached` is its score.

        Args:
            row: the sentence.
            place: the path ends before this character.
            onward: what is added by the tag that the path ends with, `[tags]`.
            best: the scores of the paths to the character before, `[rows, tags]`.
            last: the last entity on each.
        """
        self._reached, number = -np.inf, -1
        if place:
            ways = best[row] + onward
            tag = ways.argmax()
            self._reached, number = ways[tag], int(last[row, tag])
        for word in self._ending.get(place, ()):
            if word.row == row and (value := self._value[word.number] + onward[word.last]) > (
                self._reached
            ):
                self._reached, number = value, word.number
        return number

    def _step(self, place: int, best: Floats, last: Ints) -> tuple[Floats, Ints]:
        """The best paths to a character, from those to the one before."""
        ways = best[:, :, None] + self._pairs
        come_from = ways.argmax(axis=1)
        found = np.take_along_axis(ways, come_from[:, None], axis=1)[:, 0]
        before = np.take_along_axis(last, come_from, axis=1)
        for word in self._ending.get(place, ()):
            if word.row >= len(best):  # the sentence ends with it
                continue
            onward = self._value[word.number] + self._pairs[word.last]
            better = self._tags.begins & (onward > found[word.row])
            found[word.row, better] = onward[better]
            before[word.row, better] = word.number
        return found + self._scores[: len(best), place], before
