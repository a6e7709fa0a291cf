"""From texts to lattices (characters and the words among them), and from their scores to entities.

PyTorch and ONNX Runtime score the same lattices and share all the rest, so that they find the same
entities.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon import Matches
from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.matching import Finder
from fenjie.lexicon.word_pieces import Pieces
from fenjie.runtime.decoding.crf import NO_TAG
from fenjie.runtime.decoding.entities import OUTSIDE, Decoder, Found
from fenjie.runtime.rows import SEPARATOR, Row
from fenjie.runtime.rules.unsplittable import links, symbols
from fenjie.runtime.windows import LatticeBatch, Offsets, Windows, batches, with_pieces, words_of
from fenjie.runtime.words.user_words import Matcher, Occurrences
from fenjie.text.normalise import Normaliser
from fenjie.text.span import WORD, Span
from fenjie.text.split import pieces, stitch
from fenjie.text.tags import TagSet

PIECE = 200
"""So many characters are read at once where the text allows it: lines, or sentences of a line."""

BATCH = 1 << 16
"""The most pairs of a character and what it sees (characters and words) in one batch, padding
counted: about 20 sentences of 40 characters."""

DECODED = 64
"""So many windows are decoded at once."""

Score = Callable[[LatticeBatch], NDArray[np.float32]]
"""Gives the score of each tag of each character, `[batch, length, tags]`; any value at padding."""


class LatticeReader:
    """Turns texts into lattices. It never changes, and may serve several threads."""

    def __init__(
        self,
        normaliser: Normaliser,
        indexer: Indexer,
        finder: Finder | None,
        batch: int = BATCH,
        pieces: Pieces | None = None,
    ) -> None:
        """Take what a model reads with.

        Args:
            normaliser: what is made alike first.
            indexer: gives the ids of characters.
            finder: what finds the words; None for a model that reads characters alone.
            batch: the size of batches, see `BATCH`.
            pieces: cuts texts into what an encoder reads; None for a model without one.
        """
        self.normaliser, self.indexer, self.finder = normaliser, indexer, finder
        self._batch, self._pieces = batch, pieces

    def read(self, texts: Sequence[str], user: Matcher | None = None) -> Reading:
        """Normalise, cut and index some texts, and find their words, all at once.

        Args:
            texts: the texts.
            user: what finds the entities that a user insists on, each by its label.
        """
        row, ends = Row(texts, [self.normaliser(text) for text in texts]), piece_ends(texts)
        edges = np.zeros(len(ends) + 1, dtype=np.int64)
        edges[1:] = row.place.searchsorted(ends)
        edges = edges[np.append(True, edges[1:] > edges[:-1])]
        insisted = None
        if user is not None:
            insisted = Insisted.of(row, user.find_in(texts, row.original))
            edges = edges[~insisted.inside(edges)]
        codes = self.indexer.fold(row.codes)  # so that words are found in variants too
        table = self.indexer.rows(codes, edges[1:])
        matches = None if self.finder is None else self.finder.match_codes(codes, edges[1:])
        bars = barred(row, texts)
        return Reading(row, edges, table, matches, insisted, bars, self._batch, self._pieces)


class Reading:
    """Some texts as lattices, to be scored as often as one likes."""

    def __init__(
        self,
        row: Row,
        edges: Offsets,
        table: NDArray[np.int32],
        matches: Matches | None,
        insisted: Insisted | None,
        barred: NDArray[np.bool_],
        batch: int,
        pieces: Pieces | None = None,
    ) -> None:
        """Cut the windows and put them into batches.

        Args:
            row: the row of all characters that the model sees, and where they come from.
            edges: where the pieces of the row begin, and its end, `[pieces + 1]`.
            table: the ids of the row, `[characters, columns]`.
            matches: the words of the row; none reaches over an edge.
            insisted: the entities that must be there; none reaches over an edge.
            barred: the characters of no entity but these, `[characters]`.
            batch: the size of batches, see `BATCH`.
            pieces: what cuts texts into what an encoder reads.
        """
        self._row, self._insisted, self._barred = row, insisted, barred
        self._windows = Windows.over(edges)
        self._batches = batches(table, self._windows, words_of(self._windows, matches), batch)
        if pieces is not None:
            self._batches = with_pieces(self._batches, row.codes, self._windows, pieces)

    def entities(
        self,
        score: Score,
        tags: TagSet,
        table: NDArray[np.floating],
        *,
        confidence: bool = False,
    ) -> list[tuple[Span, ...]]:
        """The best entities of each text, at their offsets in the text as it was given.

        An entity never begins or ends with whitespace, nor inside of what was one character
        before normalisation or is one to a reader. Emoji, other symbols and addresses of pages and
        mail are in no entity that the user does not insist on.

        Args:
            score: the model.
            tags: what the scores are of.
            table: the CRF's transitions from each tag, then its begin and end scores,
                `[tags + 2, tags]`.
            confidence: whether each entity gets the probability that just it stands there.
        """
        return self.decoded(score, Decoder(tags, table, confidence))

    def decoded(self, score: Score, decode: Decoder) -> list[tuple[Span, ...]]:
        """`entities`, with a decoder that is there already."""
        fixed = self._fixed(decode.tags)
        found: list[Found] = []
        parts: dict[int, NDArray[np.float32]] = {}
        whole: list[tuple[int, NDArray[np.float32]]] = []
        for chosen, batch in self._batches:
            for number, scores, length in zip(
                chosen.tolist(), score(batch), batch.lengths.tolist(), strict=True
            ):
                if self._windows.whole[number]:
                    whole.append((number, scores[:length]))
                else:
                    parts[number] = scores[:length]
            if len(whole) >= DECODED:
                found.append(self._decoded(decode, whole, fixed))
                whole = []
        if whole:
            found.append(self._decoded(decode, whole, fixed))
        for cut in self._windows.cuts():
            start = self._windows.start[cut.start : cut.stop]
            stop = self._windows.stop[cut.start : cut.stop]
            intervals = list(zip(start.tolist(), stop.tolist(), strict=True))
            piece = cut.start, stitch(intervals, [parts.pop(number) for number in cut])
            found.append(self._decoded(decode, [piece], fixed))
        # The entities of one window are in order.
        joined = found[0] if len(self._windows.start) == 1 else Found.join(found)
        return self._row.spans(joined, decode.tags.labels)

    def _fixed(self, tags: TagSet) -> Offsets | None:
        """The tag that each character must have, `NO_TAG` where any may; None where all may."""
        # A symbol is no name, but it may be a word.
        barred = self._barred & (tags.labels != (WORD,))
        if self._insisted is None and not barred.any():
            return None
        fixed = np.where(barred, OUTSIDE, NO_TAG)
        if self._insisted is not None:
            self._insisted.put(tags, fixed)
        return fixed

    def _decoded(
        self,
        decode: Decoder,
        pieces: Sequence[tuple[int, NDArray[np.float32]]],
        fixed: Offsets | None,
    ) -> Found:
        """The entities of some pieces, each given as the number of its first window and scores."""
        start = self._windows.start[[number for number, _ in pieces]]
        lengths = np.array([len(scores) for _, scores in pieces])
        table = pieces[0][1][None]
        if len(pieces) > 1:
            shape = len(pieces), int(lengths.max()), len(decode.tags)
            table = np.zeros(shape, dtype=np.float32)
            for row, (_, scores) in zip(table, pieces, strict=True):
                row[: len(scores)] = scores
        return decode(table, lengths, start, _rows(fixed, start, lengths))


def barred(row: Row, texts: Sequence[str]) -> NDArray[np.bool_]:
    """Which characters of a row are in no entity, whatever a model says: `[characters]`."""
    found = symbols(row.codes)
    for start, end in links(SEPARATOR.join(texts)):
        low, high = np.searchsorted(row.place, (start, end))
        found[low:high] = True
    return found


def _rows(values: Offsets | None, start: Offsets, lengths: Offsets) -> Offsets | None:
    """Stretches of a row side by side, `NO_TAG` at padding: `[stretches, length]`."""
    if values is None:
        return None
    offsets = np.arange(lengths.max())
    rows = values.take(start[:, None] + offsets, mode="clip")
    rows[offsets >= lengths[:, None]] = NO_TAG
    return rows


class Insisted(NamedTuple):
    """Entities that a user insists on, in the row; none over another.

    Attributes:
        start: the first character of each, `[entities]`, rising.
        end: the offset behind its last one.
        labels: its label.
    """

    start: Offsets
    end: Offsets
    labels: list[str]

    @classmethod
    def of(cls, row: Row, words: Occurrences) -> Insisted:
        """User words with labels, found in the texts of a row."""
        start, end = (np.searchsorted(row.place, edge) for edge in (words.start, words.end))
        return cls(start, end, [label or "" for label in words.labels])

    def inside(self, edges: Offsets) -> NDArray[np.bool_]:
        """Which edges lie inside of one."""
        if not len(self.start):
            return np.zeros(len(edges), dtype=bool)
        near = np.searchsorted(self.start, edges) - 1
        return (near >= 0) & (self.end[near] > edges)

    def put(self, tags: TagSet, fixed: Offsets) -> None:
        """Write the tags of the entities over those that the characters of a row must have."""
        columns = self.start.tolist(), self.end.tolist(), self.labels
        for start, end, label in zip(*columns, strict=True):
            fixed[start:end] = tags.path(label, end - start)


def piece_ends(texts: Sequence[str]) -> Offsets:
    """The offsets behind all pieces of texts joined by `SEPARATOR`."""
    ends: list[int] = []
    offset = 0
    for text in texts:
        ends += [offset + end for _, end in pieces(text, PIECE)]
        offset += len(text) + len(SEPARATOR)
    return np.array(ends, dtype=np.int64)
