"""Windows over a row of characters and the words in it, and batches of them for a model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon import Matches
from fenjie.lexicon.word_pieces import Pieces, Sheet
from fenjie.text.split import windows
from fenjie.text.vocabulary import PADDING

WINDOW, OVERLAP = 512, 128
"""A longer piece, in characters, is scored through overlapping windows, then decoded whole."""

Offsets = NDArray[np.int64]


class LatticeBatch(NamedTuple):
    """What a model of lattices reads in one call.

    Attributes:
        ids: the `Indexer`'s row of each character, `[batch, length, columns]`, 0 at padding.
        lengths: characters of each text, `[batch]`.
        start: the first character of each word, `[batch, words]`, 0 at padding; there is room for
            at least one word.
        end: its last character, likewise.
        words: words of each text, `[batch]`.
        word: the number of each word in the lexicon, `[batch, words]`, 0 at padding.
        sheet: the texts in word pieces; None for a model without an encoder.
    """

    ids: NDArray[np.int64]
    lengths: Offsets
    start: Offsets
    end: Offsets
    words: Offsets
    word: Offsets
    sheet: Sheet | None = None


class Windows(NamedTuple):
    """Stretches of the row that are scored, each for itself; in the order of the row.

    Attributes:
        start: where each begins, `[windows]`.
        stop: the offset behind it.
        whole: whether it is a whole piece, bool.
    """

    start: Offsets
    stop: Offsets
    whole: NDArray[np.bool_]

    @classmethod
    def over(cls, edges: Offsets) -> Windows:
        """The windows over the pieces between `edges`."""
        start, stop = edges[:-1], edges[1:]
        too_long = stop - start > WINDOW
        (long,) = too_long.nonzero()
        if not len(long):
            return cls(start, stop, ~too_long)
        cut = [
            np.array(windows(last - first, WINDOW, OVERLAP), dtype=np.int64) + first
            for first, last in zip(start[long].tolist(), stop[long].tolist(), strict=True)
        ]
        short = np.delete(np.stack((start, stop), axis=1), long, axis=0)
        both = np.concatenate((short, *cut))
        whole = np.arange(len(both)) < len(short)
        order = np.argsort(both[:, 0])
        return cls(both[order, 0], both[order, 1], whole[order])

    def cuts(self) -> list[range]:
        """The numbers of the windows of each piece that is no window."""
        numbers = np.flatnonzero(~self.whole)
        if not len(numbers):
            return []
        # Windows of one piece overlap; those of neighbours do not.
        apart = np.flatnonzero(self.start[numbers[1:]] >= self.stop[numbers[:-1]]) + 1
        bounds = [0, *apart.tolist(), len(numbers)]
        return [range(numbers[low], numbers[high - 1] + 1) for low, high in pairwise(bounds)]


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


def words_of(view: Windows, matches: Matches | None) -> Words:
    """The words that lie in each window, by their start; one that crosses an edge is left out."""
    if matches is None or not len(matches.start):
        none = np.zeros(0, dtype=np.int64)
        return Words(np.zeros(len(view.start), dtype=np.int64), none, none, none)
    order = matches.start.argsort(kind="stable")
    start, stop, word = (column[order] for column in matches)
    low = start.searchsorted(view.start)
    counts = start.searchsorted(view.stop) - low
    if view.whole.all():
        origin = view.start.repeat(counts)
    else:
        window = np.repeat(np.arange(len(counts)), counts)
        first = np.cumsum(counts) - counts
        chosen = np.arange(len(window)) + (low - first)[window]
        inside = stop[chosen] <= view.stop[window]
        chosen, window = chosen[inside], window[inside]
        counts = np.bincount(window, minlength=len(counts))
        start, stop, word = start[chosen], stop[chosen], word[chosen]
        origin = view.start[window]
    return Words(counts, start - origin, stop - origin - 1, word)


def batches(
    table: NDArray[np.int32], view: Windows, words: Words, most: int
) -> list[tuple[Offsets, LatticeBatch]]:
    """Windows of like length together: their numbers, and what the model reads."""
    lengths = view.stop - view.start
    order = np.lexsort((words.counts, lengths))
    first = np.cumsum(words.counts) - words.counts
    made = []
    for low, high in pairwise(
        _borders(lengths[order].tolist(), words.counts[order].tolist(), most)
    ):
        chosen = order[low:high]
        if len(chosen) == 1:
            made.append(
                (chosen, _single(table, view, words, int(chosen[0]), int(first[chosen[0]])))
            )
            continue
        length, count = lengths[chosen], words.counts[chosen]
        offsets = np.arange(length[-1])
        ids = table.take(view.start[chosen, None] + offsets, axis=0, mode="clip").astype(np.int64)
        ids[offsets >= length[:, None]] = PADDING
        places = np.arange(max(int(count.max()), 1))
        real = places < count[:, None]
        columns = np.zeros((3, *real.shape), dtype=np.int64)
        which = (first[chosen, None] + places)[real]
        for column, values in zip(columns, words[1:], strict=True):
            column[real] = values[which]
        start, end, word = columns
        made.append((chosen, LatticeBatch(ids, length, start, end, count, word)))
    return made


def _single(
    table: NDArray[np.int32], view: Windows, words: Words, window: int, first: int
) -> LatticeBatch:
    """One window alone, of which the words begin at `first`: nothing is to be filled up."""
    ids = table[view.start[window] : view.stop[window]].astype(np.int64)
    count = words.counts[window : window + 1]
    found = slice(first, first + int(count[0]))
    start, end, word = (values[None, found] for values in words[1:])
    if not count[0]:
        start = end = word = np.zeros((1, 1), dtype=np.int64)
    return LatticeBatch(ids[None], np.array([len(ids)]), start, end, count, word)


def _borders(lengths: Sequence[int], words: Sequence[int], most: int) -> list[int]:
    """Where batches begin, and the end, for windows sorted by length."""
    if not lengths:
        return []
    borders, widest = [0], 0
    for index, (length, count) in enumerate(zip(lengths, words, strict=True)):
        widest = max(widest, count)
        if (index + 1 - borders[-1]) * length * (length + widest) > most and index > borders[-1]:
            borders.append(index)
            widest = count
    return [*borders, len(lengths)]


def with_pieces(
    made: Sequence[tuple[Offsets, LatticeBatch]],
    codes: NDArray[np.uint32],
    view: Windows,
    pieces: Pieces,
) -> list[tuple[Offsets, LatticeBatch]]:
    """The same batches, with the word pieces of their windows.

    Args:
        made: what `batches` made.
        codes: the code points of the row, `[characters]`.
        view: the windows.
        pieces: what cuts texts into pieces.
    """
    text = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    found = [
        pieces(text[start:stop])
        for start, stop in zip(view.start.tolist(), view.stop.tolist(), strict=True)
    ]
    return [
        (chosen, batch._replace(sheet=Sheet.of([found[number] for number in chosen.tolist()])))
        for chosen, batch in made
    ]
