"""Many texts worked on as one row of characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.rules.graphemes import clusters
from fenjie.runtime.rules.unsplittable import at_capitals, inside_latin
from fenjie.text.normalise import Normalised, Normaliser
from fenjie.text.span import Span
from fenjie.text.split import Interval
from fenjie.text.vocabulary import code_points

if TYPE_CHECKING:
    from fenjie.runtime.decoding.entities import EntityColumns

Offsets = NDArray[np.int64]

Split = Callable[[str], Sequence[Interval]]
"""Cuts a text into passages, intervals that tile it."""

SEPARATOR = "\n"
"""Stands between texts that are worked on together; nothing reaches across it."""

_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])
"""Whether a code point is whitespace; the last entry stands for all after it, which are not."""


def is_space(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are whitespace: `[length]`."""
    return _SPACE.take(codes, mode="clip")


def origins(texts: Sequence[Normalised]) -> NDArray[np.int64]:
    """For each character of normalised texts, joined by `SEPARATOR`, its place in the originals.

    Returns:
        `[length]`, never falling.
    """
    if all(text.alignment is None for text in texts):
        return np.arange(sum(len(text.text) for text in texts) + len(SEPARATOR) * (len(texts) - 1))
    places: list[NDArray[np.int64]] = []
    offset = 0
    for text in texts:
        index = np.arange(len(text.text) + len(SEPARATOR))
        if text.alignment is not None:
            here, there = text.alignment
            index = np.append(there[np.searchsorted(here, index[:-1], "right") - 1], there[-1])
        places.append(index + offset)
        offset += len(text.origin) + len(SEPARATOR)
    return np.concatenate(places)[: -len(SEPARATOR)]


class Row:
    """The characters of texts that a model sees, all but whitespace, and where they come from.

    Attributes:
        texts: the texts as they were given.
        text: the texts joined by `SEPARATOR`.
        original: its code points.
        space: where it has whitespace, bool.
        codes: the code points that the model sees, `[characters]`.
        place: where each of them comes from, as an offset into `text`; never falling.
        starts: the offset in `text` of each of `texts`.
        is_plain: whether the model sees each character of `text` as one.
    """

    def __init__(self, texts: Sequence[str], normaliser: Normaliser) -> None:
        """Normalise some texts and join them.

        Args:
            texts: the texts.
            normaliser: makes the text that the model sees.
        """
        self.texts = texts
        self.text = SEPARATOR.join(texts)
        self.original = code_points(self.text)
        self.space = is_space(self.original)
        normalised = [normaliser(text) for text in texts]
        codes = code_points(SEPARATOR.join(text.text for text in normalised))
        self._origin = origins(normalised)
        hidden = is_space(codes)
        hidden |= self.space.take(self._origin)
        self.codes, self.place = codes, self._origin
        self.is_plain = not hidden.any() and all(text.alignment is None for text in normalised)
        if not self.is_plain:
            (seen,) = (~hidden).nonzero()
            self.codes, self.place = codes[seen], self._origin[seen]
        sizes = np.array([len(text) + len(SEPARATOR) for text in texts], dtype=np.int64)
        self.starts = np.cumsum(sizes) - sizes

    def edges(self, split: Split) -> Offsets:
        """Where the passages of the texts begin in the row, and its end: `[passages + 1]`.

        Args:
            split: cuts a text into passages; those without a character are left out.
        """
        ends = [
            start + end
            for start, text in zip(self.starts.tolist(), self.texts, strict=True)
            for _, end in split(text)
        ]
        edges = np.zeros(len(ends) + 1, dtype=np.int64)
        edges[1:] = self.place.searchsorted(ends)
        rises = edges[1:] > edges[:-1]
        return edges if rises.all() else edges[np.append(True, rises)]

    @cached_property
    def closed(self) -> NDArray[np.bool_]:
        """The edges where no entity begins or ends: inside of numbers and Latin words.

        A space is often lost before a capital letter, as in CEODario; such an edge is none of them.
        The decoder keeps the best path off them (`Decoder._close`); `spans` moves what is left by
        a CRF that allows ill-formed tags.

        Returns:
            Of each character the edge before it, then that after the last one, `[characters + 1]`.
        """
        if self.is_plain:
            return inside_latin(self.codes) & ~at_capitals(self.codes)
        # Whitespace, which the model does not see, is no letter; what was one character stays one.
        steps = np.diff(self.place, prepend=-1)
        place = np.arange(len(steps)) + np.cumsum(steps > 1)
        codes = np.zeros(len(steps) + np.count_nonzero(steps > 1), dtype=self.codes.dtype)
        codes[place] = self.codes
        closed = inside_latin(codes) & ~at_capitals(codes)
        return np.append(closed[place] & (steps == 1), False)

    @cached_property
    def _edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Where in the joined texts an entity may begin, and where it may end.

        That is between what were characters before normalisation and are characters to a reader,
        at no edge that is `closed`; and whitespace ends everything. None where these are all
        places.
        """
        found = clusters(self.original)
        length = len(self.original)
        if found is None and len(self._origin) == length and not self.closed.any():
            return None
        edge = np.zeros(length + 1, dtype=bool)
        edge[self._origin] = edge[-1] = True
        edge[self.place[self.closed[:-1]]] = False
        if found is not None:
            edge[:-1] &= ~found[0]
        edge[:-1] |= self.space
        edge[1:] |= self.space
        begin = edge.copy()
        begin[:-1] &= ~self.space
        return np.flatnonzero(begin), np.flatnonzero(edge)

    def spans(self, found: EntityColumns, labels: Sequence[str]) -> list[tuple[Span, ...]]:
        """Entities of the row as spans of each text.

        An edge inside of what was one character, or one that is `closed` and that the decoder could
        not keep free (`Decoder._close`), moves after it, and an entity of which nothing is left is
        dropped; so none overlap that did not.

        Args:
            found: the entities, by their start.
            labels: the names of labels.
        """
        start, end = self.place[found.start], self.place[found.end - 1] + 1
        if len(start) and self._edges is not None:
            begins, ends = self._edges
            parted = (found.start > 0) & (self.place[found.start - 1] == start)
            start = begins[np.searchsorted(begins, start + parted)]
            end = ends[np.searchsorted(ends, end)]
        text = np.searchsorted(self.starts, start, side="right") - 1
        confidences = [None if value != value else value for value in found.confidence.tolist()]
        spans: list[list[Span]] = [[] for _ in self.texts]
        for which, first, last, label, value in zip(
            *(column.tolist() for column in (text, start, end, found.label)),
            confidences,
            strict=True,
        ):
            if first < last:
                offset = int(self.starts[which])
                spans[which].append(Span(first - offset, last - offset, labels[label], value))
        return list(map(tuple, spans))
