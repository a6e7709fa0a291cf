"""From a row of characters to batches: windows over its passages, put side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon import Matches
from fenjie.lexicon.word_pieces import WordPieceBatch
from fenjie.runtime.rows import Offsets
from fenjie.text.split import Interval
from fenjie.text.vocabulary import PADDING

UNBOUNDED = 1 << 62

WORD_COST = 6
"""Memory of a pair of a character and a word over that of two characters, measured on the exported
FLAT, which has a vector for each such pair."""

SHORTEST = 64
"""No window is cut shorter than this many characters, whatever the words in it."""


@dataclass(frozen=True)
class Limits:
    """Sizes of windows and batches.

    Attributes:
        window: characters of a window; a longer passage is read through overlapping windows.
        overlap: characters that neighbouring windows share at least.
        first: the first position of a window that has scores: 0 for the tags of characters, 1 for
            the gaps before them.
        characters: characters of a batch, padding counted.
        pairs: pairs in a batch of a character and what it sees (characters and words), padding
            counted.
        padding: a longer window joins a batch if the others are then padded by at most so many
            characters in all: the cost of one more call.
        memory: of a window, in pairs of characters: its length times (its length + `WORD_COST`
            times its words). Where more words are found, windows are shorter.
    """

    window: int
    overlap: int
    first: int = 0
    characters: int = UNBOUNDED
    pairs: int = UNBOUNDED
    padding: int = UNBOUNDED
    memory: int = UNBOUNDED


class Windows(NamedTuple):
    """Stretches of a row that a model reads, each for itself; in the order of the row.

    Every position of a passage that has scores is decided by exactly one window: that in which it
    is farthest from an edge.

    Attributes:
        start: where each window begins, `[windows]`.
        stop: the offset after it.
        low: the first position that it decides.
        high: the offset after the last one.
        passage: the number of its passage.
    """

    start: Offsets
    stop: Offsets
    low: Offsets
    high: Offsets
    passage: Offsets

    @classmethod
    def over(cls, edges: Offsets, limits: Limits, matches: Matches | None = None) -> Windows:
        """The windows over the passages between `edges`; passages without scores get none.

        Args:
            edges: where the passages begin, and the end, `[passages + 1]`.
            limits: the size of windows.
            matches: the words of the row; None for none.
        """
        start, stop = edges[:-1], edges[1:]
        length, passage = stop - start, np.arange(len(start))
        if limits.first:
            scored = length > limits.first
            if not scored.all():
                start, stop, length, passage = (a[scored] for a in (start, stop, length, passage))
        whole = cls(start, stop, start + limits.first, stop, passage)
        found = 0 if matches is None else len(matches.start)
        longest = int(length.max(initial=0))
        if longest <= limits.window and longest * (longest + WORD_COST * found) <= limits.memory:
            return whole
        begins = np.empty(0, dtype=np.int64) if matches is None else np.sort(matches.start)
        count = begins.searchsorted(stop) - begins.searchsorted(start)
        too_much = length * (length + WORD_COST * count) > limits.memory
        (long,) = (too_much & (length > SHORTEST) | (length > limits.window)).nonzero()
        if not len(long):
            return whole
        parts = [cls(*(np.delete(column, long) for column in whole))]
        for number in long.tolist():
            first, last = int(start[number]), int(stop[number])
            cut = np.array(_cut(first, last, limits, begins))
            # The middles of what two neighbours both score
            middles = (cut[:-1, 1] + cut[1:, 0] + limits.first + 1) // 2
            low, high = np.append(first + limits.first, middles), np.append(middles, last)
            parts.append(cls(cut[:, 0], cut[:, 1], low, high, np.full(len(cut), passage[number])))
        joined = [np.concatenate(column) for column in zip(*parts, strict=True)]
        order = np.argsort(joined[0], kind="stable")
        return cls(*(column[order] for column in joined))


def _cut(first: int, last: int, limits: Limits, begins: Offsets) -> list[Interval]:
    """Overlapping windows over a passage from `first` to `last`.

    A window is as long as it may be, and shares a part of itself with the next one; the last one
    is moved back so that it is full.

    Args:
        first: the first character of the passage.
        last: the offset after its last one.
        limits: the size of windows.
        begins: where words begin, rising.
    """
    cuts: list[Interval] = []
    start = first
    while True:
        size = min(limits.window, last - first)
        while size > SHORTEST:
            words = _between(begins, min(start, last - size), size)
            if size * (size + WORD_COST * words) <= limits.memory:
                break
            size = max(size * 3 // 4, SHORTEST)
        if start + size >= last:
            return [*cuts, (last - size, last)]
        cuts.append((start, start + size))
        start += size - limits.overlap * size // limits.window


def _between(begins: Offsets, start: int, size: int) -> int:
    """The number of words that begin in a stretch."""
    low, high = begins.searchsorted((start, start + size))
    return int(high - low)


RUN = 32
"""In a run of one character that is longer than this, no word is seen that lies in the run: a line
of dots or dashes holds eight words a character, which say nothing."""


def without_runs(codes: NDArray[np.uint32], matches: Matches) -> Matches:
    """Leave out the words in long runs of one character, such as the dots of a table of contents.

    Args:
        codes: the code points of a row.
        matches: its words.
    """
    differ = codes[1:] != codes[:-1]
    if len(differ) - np.count_nonzero(differ) < RUN:
        return matches
    (first,) = differ.nonzero()
    bounds = np.concatenate(([0], first + 1, [len(codes)]))
    long = np.diff(bounds) > RUN
    if not long.any():
        return matches
    run = bounds.searchsorted(matches.start, side="right") - 1
    kept = ~long[run] | (matches.end > bounds[run + 1])
    return Matches(*(column[kept] for column in matches))


class Words(NamedTuple):
    """The words of windows, window by window.

    Attributes:
        counts: words of each window, `[windows]`.
        start: the first character of each word, counted from that of its window, `[words]`.
        end: its last character.
        word: its number in the lexicon.
    """

    counts: Offsets
    start: Offsets
    end: Offsets
    word: Offsets

    @classmethod
    def of(cls, windows: Windows, matches: Matches | None) -> Words:
        """The words that lie in each window, by their start; those that cross an edge are left out.

        Args:
            windows: the windows.
            matches: the words of the row; None for none.
        """
        if matches is None or not len(matches.start):
            none = np.zeros(0, dtype=np.int64)
            return cls(np.zeros(len(windows.start), dtype=np.int64), none, none, none)
        order = matches.start.argsort(kind="stable")
        start, stop, word = (column[order] for column in matches)
        low = start.searchsorted(windows.start)
        counts = start.searchsorted(windows.stop) - low
        if (windows.start[1:] >= windows.stop[:-1]).all():  # none shares words with the next one
            origin = windows.start.repeat(counts)
            return cls(counts, start - origin, stop - origin - 1, word)
        window = np.repeat(np.arange(len(counts)), counts)
        first = np.cumsum(counts) - counts
        chosen = np.arange(len(window)) + (low - first)[window]
        inside = stop[chosen] <= windows.stop[window]
        chosen, window = chosen[inside], window[inside]
        counts = np.bincount(window, minlength=len(counts))
        origin = windows.start[window]
        return cls(counts, start[chosen] - origin, stop[chosen] - origin - 1, word[chosen])


class Batch(NamedTuple):
    """The input of a model for one call.

    Attributes:
        windows: the number of each window, `[batch]`.
        ids: the `Indexer`'s row of each character, `[batch, length, columns]`, 0 at padding.
        lengths: characters of each window, `[batch]`.
        start: the first character of each word, `[batch, words]`, 0 at padding; there is room for
            at least one word.
        end: its last character, likewise.
        words: words of each window, `[batch]`.
        word: the number of each word in the lexicon, `[batch, words]`, 0 at padding.
        word_pieces: the windows in word pieces; None for a model without an encoder.
    """

    windows: Offsets
    ids: NDArray[np.int64]
    lengths: Offsets
    start: Offsets
    end: Offsets
    words: Offsets
    word: Offsets
    word_pieces: WordPieceBatch | None = None

    @property
    def memory(self) -> int:
        """Memory that a model takes for it, in pairs of characters; see `Limits.memory`."""
        size, length = self.ids.shape[:2]
        return int(size * length * (length + WORD_COST * self.word.shape[1]))


def batches(
    table: NDArray[np.int32], windows: Windows, words: Words, limits: Limits
) -> Iterator[Batch]:
    """Windows of like length together.

    Args:
        table: the ids of the row, `[characters, columns]`.
        windows: the windows.
        words: the words in them.
        limits: the size of batches.
    """
    lengths = windows.stop - windows.start
    first = np.cumsum(words.counts) - words.counts
    if len(lengths) == 1:
        yield _single(table, windows, words, first, 0)
        return
    order = np.lexsort((words.counts, lengths))
    for low, high in pairwise(
        _borders(lengths[order].tolist(), words.counts[order].tolist(), limits)
    ):
        chosen = order[low:high]
        if len(chosen) == 1:
            yield _single(table, windows, words, chosen, int(first[chosen[0]]))
            continue
        length, count = lengths[chosen], words.counts[chosen]
        offsets = np.arange(length[-1])
        places = windows.start[chosen, None] + offsets
        ids = table.take(places, axis=0, mode="clip").astype(np.int64)
        ids[offsets >= length[:, None]] = PADDING
        numbers = np.arange(max(int(count.max()), 1))
        real = numbers < count[:, None]
        columns = np.zeros((3, *real.shape), dtype=np.int64)
        which = (first[chosen, None] + numbers)[real]
        for column, values in zip(columns, words[1:], strict=True):
            column[real] = values[which]
        start, end, word = columns
        yield Batch(chosen, ids, length, start, end, count, word)


def _single(
    table: NDArray[np.int32], windows: Windows, words: Words, chosen: Offsets, first: int
) -> Batch:
    """One window alone, of which the words begin at `first`: there is no padding."""
    ids = table[windows.start[chosen[0]] : windows.stop[chosen[0]]].astype(np.int64)
    count = words.counts[chosen]
    found = slice(first, first + int(count[0]))
    start, end, word = (values[None, found] for values in words[1:])
    if not count[0]:
        start = end = word = np.zeros((1, 1), dtype=np.int64)
    return Batch(chosen, ids[None], np.array([len(ids)]), start, end, count, word)


def _borders(lengths: Sequence[int], words: Sequence[int], limits: Limits) -> list[int]:
    """Where batches begin, and the end, for windows sorted by length."""
    if not lengths:
        return []
    borders, widest, last, padding = [0], 0, 0, 0
    for index, (length, count) in enumerate(zip(lengths, words, strict=True)):
        widest = max(widest, count)
        size = index - borders[-1]
        padding += size * (length - last)
        if size and (
            padding > limits.padding
            or (size + 1) * length > limits.characters
            or (size + 1) * length * (length + widest) > limits.pairs
        ):
            borders.append(index)
            widest, padding = count, 0
        last = length
    return [*borders, len(lengths)]
