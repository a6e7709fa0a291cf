"""Many texts worked on as one row of characters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.decoding.entities import Found
from fenjie.runtime.rules.graphemes import clusters
from fenjie.text.normalise import Normalised
from fenjie.text.span import Span
from fenjie.text.vocabulary import code_points

SEPARATOR = "\n"
"""Stands between texts that are worked on together; nothing reaches across it."""

_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])
"""Whether a code point is whitespace; the last entry stands for all behind it, which are not."""


def is_space(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are whitespace: `[length]`."""
    return _SPACE[np.minimum(codes, len(_SPACE) - 1)]


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
        original: the code points of the texts as they were given, joined by `SEPARATOR`.
        codes: the code points, `[characters]`.
        place: for each, its place in the original texts joined by `SEPARATOR`; never falling.
    """

    def __init__(self, texts: Sequence[str], normalised: Sequence[Normalised]) -> None:
        """Join some texts.

        Args:
            texts: the texts.
            normalised: what was made of each.
        """
        self._texts = texts
        self.original = code_points(SEPARATOR.join(texts))
        self._space = is_space(self.original)
        codes = code_points(SEPARATOR.join(text.text for text in normalised))
        self._origin = origins(normalised)
        (seen,) = (~(self._space[self._origin] | is_space(codes))).nonzero()
        self.codes, self.place = codes[seen], self._origin[seen]

    @cached_property
    def _edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Where in the joined texts an entity may begin, and where it may end.

        That is between what were characters before normalisation and are characters to a reader;
        and whitespace ends everything. None where these are all places.
        """
        found = clusters(self.original)
        length = len(self.original)
        if found is None and len(self._origin) == length:
            return None
        edge = np.zeros(length + 1, dtype=bool)
        edge[self._origin] = edge[-1] = True
        if found is not None:
            edge[:-1] &= ~found[0]
        edge[:-1] |= self._space
        edge[1:] |= self._space
        begin = edge.copy()
        begin[:-1] &= ~self._space
        return np.flatnonzero(begin), np.flatnonzero(edge)

    def spans(self, found: Found, labels: Sequence[str]) -> list[tuple[Span, ...]]:
        """Entities of the row as spans of each text.

        An edge inside of what was one character moves behind it, and an entity of which nothing
        is left is dropped; so none overlap that did not.

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
        sizes = np.array([len(text) + len(SEPARATOR) for text in self._texts], dtype=np.int64)
        firsts = np.cumsum(sizes) - sizes
        text = np.searchsorted(firsts, start, side="right") - 1
        sure = [None if value != value else value for value in found.confidence.tolist()]
        spans: list[list[Span]] = [[] for _ in self._texts]
        for which, first, last, label, value in zip(
            *(column.tolist() for column in (text, start, end, found.label)), sure, strict=True
        ):
            if first < last:
                offset = int(firsts[which])
                spans[which].append(Span(first - offset, last - offset, labels[label], value))
        return list(map(tuple, spans))
