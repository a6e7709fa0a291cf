"""From texts to lattices (characters and the words among them), and from their scores to entities.

PyTorch and ONNX Runtime score the same lattices and share all the rest, so that they find the same
entities.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.matching import Finder
from fenjie.lexicon.word_pieces import PieceTokenizer
from fenjie.lexicon.word_vectors import EveryWord
from fenjie.runtime.batching import UNBOUNDED, Limits
from fenjie.runtime.decoding.crf import NO_TAG
from fenjie.runtime.decoding.entities import OUTSIDE, Decoder, EntityColumns
from fenjie.runtime.decoding.preferences import Preferences
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.reading import Reader, Scorer, View
from fenjie.runtime.rows import Offsets, Row
from fenjie.runtime.rules.unsplittable import links, symbols
from fenjie.runtime.words.preferred import entity_bonus
from fenjie.runtime.words.user_words import Candidates, Matcher, UserWord
from fenjie.text.normalise import Normaliser
from fenjie.text.span import WORD, Span
from fenjie.text.split import PASSAGE, passages, window_of
from fenjie.text.tags import TagSet

T = TypeVar("T", bound=np.generic)

MEMORY = 1_100_000
"""`Limits.memory`: at most 230 MB of the exported FLAT. Ordinary text has windows of full size."""

PAIRS = 1 << 16
"""`Limits.pairs` for PyTorch: about 20 sentences of 40 characters."""

EXPORTED_PAIRS = 1 << 12
"""`Limits.pairs` for ONNX Runtime: it is as fast on one sentence as on many, and larger batches
cost more by their padding than they gain."""

DECODED = 64
"""Number of passages that are decoded at once."""


class LatticeReader:
    """Turns texts into lattices. It never changes, and may serve several threads."""

    def __init__(
        self,
        normaliser: Normaliser,
        indexer: Indexer,
        finder: Finder | None,
        pairs: int = PAIRS,
        pieces: PieceTokenizer | None = None,
        passage: int = PASSAGE,
    ) -> None:
        """Take what a model reads with.

        Args:
            normaliser: makes the text that the model sees.
            indexer: gives the ids of characters.
            finder: finds the words; None for a model that reads characters alone.
            pairs: the size of batches, see `Limits`.
            pieces: cuts texts into what an encoder reads; None for a model without one.
            passage: characters that are read at once where the text allows it.
        """
        self.indexer, self.finder = indexer, finder
        # SoftLexicon, which reads words of one character too, has no pairs.
        memory = UNBOUNDED if isinstance(finder, EveryWord) else MEMORY
        window = window_of(passage)
        limits = Limits(window, window // 3, pairs=pairs, memory=memory)
        split = partial(passages, size=passage)
        self._reader = Reader(normaliser, indexer, split, limits, finder, pieces)

    @classmethod
    def of(cls, folder: ModelFolder, pairs: int = PAIRS) -> LatticeReader:
        """The reader of a model folder."""
        parts = folder.normaliser, folder.indexer, folder.finder
        return cls(*parts, pairs, folder.pieces, folder.passage)

    def read(self, texts: Sequence[str], user: Matcher | None = None) -> LatticeReading:
        """Normalise, cut and index some texts, and find their words, all at once.

        Args:
            texts: the texts.
            user: finds the user words that are entities.
        """
        row, edges = self._reader.row(texts)
        words = None
        if user is not None:
            words = UserEntities.of(row, user.candidates(row))
            edges = edges[~words.inside(edges)]
        return LatticeReading(row, edges, self._reader.view(row, edges), words)


class Scored(NamedTuple):
    """A passage and its scores.

    Attributes:
        number: which of the passages of a row it is.
        scores: the scores of the tags of its characters, `[length, tags]`.
    """

    number: int
    scores: NDArray[np.float32]


class LatticeReading:
    """Some texts as lattices, to be scored as often as one likes.

    Attributes:
        row: the characters that the model sees.
        edges: where the passages of the row begin, and its end, `[passages + 1]`.
        view: the lattices, in batches.
    """

    def __init__(self, row: Row, edges: Offsets, view: View, words: UserEntities | None) -> None:
        """Take what the reader makes.

        Args:
            row: the characters that the model sees.
            edges: where the passages of the row begin, and its end, `[passages + 1]`.
            view: the row as the model reads it.
            words: the entities of the user; none reaches over an edge.
        """
        self.row, self.edges, self.view = row, edges, view
        self._words = words
        self._forbidden = forbidden(row)

    def entities(
        self,
        score: Scorer,
        tags: TagSet,
        table: NDArray[np.floating],
    ) -> list[tuple[Span, ...]]:
        """The best entities of each text, at their offsets in the text as it was given.

        An entity never begins or ends with whitespace, nor inside of a number, of a Latin word, or
        of what was one character before normalisation or is one to a reader. Emoji, other symbols
        and addresses of pages and mail are in no entity that the user does not force.

        Args:
            score: the model.
            tags: the tags that are scored.
            table: the CRF's transitions from each tag, then its begin and end scores,
                `[tags + 2, tags]`.
        """
        return self.decoded(score, Decoder(tags, table))

    def decoded(self, score: Scorer, decode: Decoder) -> list[tuple[Span, ...]]:
        """`entities`, with a decoder that is there already."""
        fixed = self._fixed(decode.tags)
        preferred = None if self._words is None else self._words.preferred(decode.tags, self.edges)
        wanted = fixed, self._closed(decode.tags), preferred
        found = [self._decoded(decode, some, *wanted) for some in self.scored(score)]
        # The entities of one passage are in order.
        joined = found[0] if len(self.edges) == 2 else EntityColumns.join(found)
        return self.row.spans(joined, decode.tags.labels)

    def scored(self, score: Scorer) -> Iterator[list[Scored]]:
        """The passages with their scores, of each window those that it decides; some at a time."""
        windows = self.view.windows
        begin, end = self.edges[windows.passage], self.edges[windows.passage + 1]
        is_whole = (windows.stop - windows.start == end - begin).tolist()
        passages = windows.passage.tolist()
        parts: dict[int, NDArray[np.float32]] = {}
        whole: list[Scored] = []
        for batch in self.view.batches():
            rows = zip(batch.windows.tolist(), score(batch), batch.lengths.tolist(), strict=True)
            for window, scores, length in rows:
                number = passages[window]
                if is_whole[window]:
                    whole.append(Scored(number, scores[:length]))
                    continue
                if number not in parts:
                    shape = int(end[window] - begin[window]), scores.shape[1]
                    parts[number] = np.empty(shape, dtype=np.float32)
                low, high = int(windows.low[window]), int(windows.high[window])
                first, offset = int(windows.start[window]), int(begin[window])
                parts[number][low - offset : high - offset] = scores[low - first : high - first]
            if len(whole) >= DECODED:
                yield whole
                whole = []
        if whole:
            yield whole
        for number, scores in parts.items():
            yield [Scored(number, scores)]

    def _fixed(self, tags: TagSet) -> Offsets | None:
        """The tag that each character must have, `NO_TAG` where any may; None where all may."""
        # A symbol is no name, but it may be a word.
        forbidden = self._forbidden & (tags.labels != (WORD,))
        forced = self._words is not None and self._words.forced > 0
        if not (forced or forbidden.any()):
            return None
        fixed = np.where(forbidden, OUTSIDE, NO_TAG)
        if self._words is not None:
            self._words.put(tags, fixed)
        return fixed

    def _closed(self, tags: TagSet) -> NDArray[np.bool_] | None:
        """The edges where no entity begins or ends, `[characters + 1]`; None where any may."""
        if tags.labels == (WORD,):
            return None
        closed = self.row.closed
        return closed if closed.any() else None

    def _decoded(
        self,
        decode: Decoder,
        some: Sequence[Scored],
        fixed: Offsets | None,
        closed: NDArray[np.bool_] | None,
        preferred: Preferences | None,
    ) -> EntityColumns:
        """The entities of some passages."""
        numbers = [passage.number for passage in some]
        start = self.edges[numbers]
        table, lengths = side_by_side(some)
        if preferred is not None:
            place = np.full(len(self.edges), -1)
            place[numbers] = np.arange(len(numbers))
            here = preferred.only(place[preferred.row] >= 0)
            preferred = here._replace(row=place[here.row])
        if fixed is not None:
            fixed = _rows(fixed, start, lengths, NO_TAG)
        if closed is not None:
            closed = _rows(closed, start, lengths + 1, False)
        return decode(table, lengths, start, fixed, closed, preferred)


def side_by_side(some: Sequence[Scored]) -> tuple[NDArray[np.float32], Offsets]:
    """The scores of passages, padded with 0, and their lengths.

    Returns:
        `[passages, length, tags]` and `[passages]`.
    """
    lengths = np.array([len(passage.scores) for passage in some])
    if len(some) == 1:
        return some[0].scores[None], lengths
    shape = len(some), int(lengths.max()), some[0].scores.shape[1]
    table = np.zeros(shape, dtype=np.float32)
    for row, (_, scores) in zip(table, some, strict=True):
        row[: len(scores)] = scores
    return table, lengths


def forbidden(row: Row) -> NDArray[np.bool_]:
    """Which characters of a row are in no entity, whatever a model says: `[characters]`."""
    found = symbols(row.codes)
    for start, end in links(row.text):
        low, high = np.searchsorted(row.place, (start, end))
        found[low:high] = True
    return found


def _rows(values: NDArray[T], start: Offsets, lengths: Offsets, padding: int) -> NDArray[T]:
    """Stretches of a row side by side: `[stretches, length]`."""
    offsets = np.arange(lengths.max())
    rows = values.take(start[:, None] + offsets, mode="clip")
    rows[offsets >= lengths[:, None]] = padding
    return rows


class UserEntities(NamedTuple):
    """Entities of the user in the row: first those that are forced, then those that are preferred.

    Attributes:
        start: the first character of each, `[entities]`.
        end: the offset after its last one.
        words: what is known of each.
        forced: the number of those that are forced. None of them is over another, and none that is
            preferred is over one of them.
    """

    start: Offsets
    end: Offsets
    words: list[UserWord]
    forced: int

    @classmethod
    def of(cls, row: Row, found: Candidates) -> UserEntities:
        """User words with labels, found in the texts of a row."""
        start, end = (np.searchsorted(row.place, edge) for edge in (found.start, found.end))
        return cls(start, end, found.words, found.forced)

    def inside(self, edges: Offsets) -> NDArray[np.bool_]:
        """Which edges lie inside of one."""
        steps = np.zeros(int(edges[-1]) + 2, dtype=np.int64)
        np.add.at(steps, self.start + 1, 1)
        np.add.at(steps, self.end, -1)
        within: NDArray[np.bool_] = np.cumsum(steps)[edges] > 0
        return within

    def put(self, tags: TagSet, fixed: Offsets) -> None:
        """Write the tags of those that are forced over those that characters must have."""
        columns = self.start.tolist(), self.end.tolist(), self.words
        for start, end, word in islice(zip(*columns, strict=True), self.forced):
            assert word.label is not None
            fixed[start:end] = tags.path(word.label, end - start)

    def preferred(self, tags: TagSet, edges: Offsets) -> Preferences | None:
        """Those that are preferred, by passages; None where there is none.

        Args:
            tags: the tags that are scored.
            edges: where the passages begin, and the end, `[passages + 1]`.
        """
        words = self.words[self.forced :]
        if not words:
            return None
        start, end = self.start[self.forced :], self.end[self.forced :]
        passage = edges.searchsorted(start, side="right") - 1
        numbers = {label: number for number, label in enumerate(tags.labels)}
        label = np.array([numbers[word.label or ""] for word in words])
        bonus = entity_bonus(np.array([word.weight for word in words]))
        return Preferences(passage, start - edges[passage], end - edges[passage], label, bonus)
