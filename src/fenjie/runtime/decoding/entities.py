"""From the scores of tags to entities, in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.decoding.crf import NO_TAG, confidence, likeliest, viterbi
from fenjie.runtime.decoding.forward_backward import ForwardBackward, Steps, Stretches
from fenjie.runtime.decoding.preferences import Preferences, choose
from fenjie.runtime.words import preferred as bonuses
from fenjie.text.span import Span
from fenjie.text.tags import LETTERS, TagSet

Ints = NDArray[np.int64]
Scores = NDArray[np.floating[Any]]

OUTSIDE = 0
"""The number of the tag O."""


class EntityColumns(NamedTuple):
    """Entities as columns, `[entities]` each.

    Attributes:
        start: the first character of each.
        end: the offset after its last one.
        label: the number of its label.
        confidence: the probability that just it stands there; NaN where not asked for.
    """

    start: Ints
    end: Ints
    label: Ints
    confidence: NDArray[np.float64]

    @classmethod
    def join(cls, parts: Sequence[EntityColumns]) -> EntityColumns:
        """All of some, in the order of their start."""
        start, end, label, confidences = (
            np.concatenate(c) for c in zip(_NOTHING, *parts, strict=True)
        )
        order = np.argsort(start, kind="stable")
        return cls(start[order], end[order], label[order], confidences[order])


class Found(NamedTuple):
    """Entities of a batch as columns, `[entities]` each, row by row, from left to right.

    Attributes:
        row: the sentence.
        start: the first character of each.
        end: the offset after its last one.
        label: the number of its label.
        confidence: as in `EntityColumns`.
    """

    row: Ints
    start: Ints
    end: Ints
    label: Ints
    confidence: NDArray[np.float64]

    def only(self, chosen: NDArray[Any]) -> Found:
        """Some of them, by their numbers or by a truth value for each."""
        return Found._make(column[chosen] for column in self)

    @classmethod
    def join(cls, one: Found, other: Found) -> Found:
        """Those of some rows and of others."""
        both = cls._make(np.append(*columns) for columns in zip(one, other, strict=True))
        return both.only(np.argsort(both.row, kind="stable"))


_NONE = np.zeros(0, dtype=np.int64)
_NOTHING = EntityColumns(_NONE, _NONE, _NONE, np.zeros(0))


class Decoder:
    """Finds the best entities under the scores of a CRF."""

    def __init__(self, tags: TagSet, table: Scores, with_confidence: bool = False) -> None:
        """Take the transitions.

        Args:
            tags: the tags that are scored.
            table: transitions from each tag, then begin and end scores, `[tags + 2, tags]`.
            with_confidence: whether entities get their probabilities.
        """
        self.tags, self.table, self.with_confidence = tags, table, with_confidence
        inside = np.arange(len(tags)) != OUTSIDE
        self._opens, self._closes = tags.begins & inside, tags.ends & inside
        legal = np.concatenate((tags.allowed, [tags.begins, tags.ends]))
        self._steps = Steps.of(table)
        self._well_formed = not np.isfinite(table[~legal]).any()

    def __call__(
        self,
        scores: Scores,
        lengths: Ints,
        offsets: Ints,
        fixed: Ints | None = None,
        closed: NDArray[np.bool_] | None = None,
        preferred: Preferences | None = None,
    ) -> EntityColumns:
        """Decode a batch.

        Args:
            scores: `[batch, length, tags]`.
            lengths: characters of each text, `[batch]`.
            offsets: added to the offsets of the entities of each text, `[batch]`.
            fixed: tags that must be, whole entities, `[batch, length]`, `NO_TAG` where any may.
            closed: edges where no entity begins or ends: that before each character, then that
                after the last one, `[batch, length + 1]`.
            preferred: entities that are preferred; the probability of one that is found is that
                with its bonus.
        """
        if fixed is not None:
            scores = self._force(scores, fixed)
        if closed is not None:
            scores = self._close(scores, closed)
        forbidden = fixed is not None or closed is not None
        found = self._decoded(scores, lengths, forbidden)
        if preferred is not None and len(preferred.row):
            found = self._preferring(scores, lengths, found, preferred)
        row, start, end, label, confidences = found
        return EntityColumns(start + offsets[row], end + offsets[row], label, confidences)

    def _decoded(self, scores: Scores, lengths: Ints, forbidden: bool) -> Found:
        """The best entities, row by row; `forbidden` is whether scores may be -inf."""
        if not (self.with_confidence and self._well_formed):
            path = viterbi(scores, lengths, self.table)
            row, start, end, label = self._spans(np.maximum(path, OUTSIDE), lengths)
            confidences = np.full(len(row), np.nan)
            if self.with_confidence:
                confidences = self._confidence(scores, lengths, row, start, end, label)
        else:
            sums = ForwardBackward(scores, lengths, self._steps)
            path = likeliest(scores, lengths, self.table, sums, forbidden)
            row, start, end, label = self._spans(np.maximum(path, OUTSIDE), lengths)
            spans = Stretches.of(row, start, end)
            confidences = sums.probability(spans, path[spans.row, spans.at])
        return Found(row, start, end, label, confidences)

    def _preferring(self, scores: Scores, lengths: Ints, found: Found, words: Preferences) -> Found:
        """The best entities where some are preferred, from those where none is."""
        words = words._replace(bonus=words.bonus - bonuses.WITHIN * _within(words, found))
        there = set(zip(*(column.tolist() for column in found[:4]), strict=True))
        places = list(zip(*(column.tolist() for column in words[:4]), strict=True))
        missed = np.unique([place[0] for place in places if place not in there]).astype(np.int64)
        chosen = np.ones(len(words.row), dtype=bool)
        if len(missed):
            # Only where one is not found anyway may another path be the best one.
            (some,) = np.isin(words.row, missed).nonzero()
            those = words.only(some)._replace(row=missed.searchsorted(words.row[some]))
            sizes = lengths[missed]
            part = scores[missed, : int(sizes.max())]
            chosen[some] = on_path = choose(part, sizes, self.table, self.tags, those)
            fixed = np.full(part.shape[:2], NO_TAG)
            for row, start, end, label, _ in zip(*those.only(on_path), strict=True):
                fixed[row, start:end] = self.tags.path(self.tags.labels[label], end - start)
            again = self._decoded(self._force(part, fixed), sizes, forbidden=True)
            again = again._replace(row=missed[again.row])
            found = Found.join(found.only(~np.isin(found.row, missed)), again)
        if self.with_confidence:
            self._with_bonus(scores, lengths, found, words.only(chosen))
        return found

    def _with_bonus(self, scores: Scores, lengths: Ints, found: Found, words: Preferences) -> None:
        """Give preferred entities that were found their probabilities, with the bonus of each."""
        words = words.only(np.argsort(words.row, kind="stable"))
        rows, row = np.unique(words.row, return_inverse=True)
        sizes = lengths[rows]
        share = self._confidence(scores[rows, : int(sizes.max(initial=0))], sizes, row, *words[1:4])
        numbers = {
            place: number
            for number, place in enumerate(zip(*(c.tolist() for c in found[:2]), strict=True))
        }
        places = zip(words.row.tolist(), words.start.tolist(), strict=True)
        rest = (1.0 - share) * np.exp(-words.bonus)
        found.confidence[[numbers[place] for place in places]] = share / (share + rest)

    def _confidence(
        self, scores: Scores, lengths: Ints, row: Ints, start: Ints, end: Ints, label: Ints
    ) -> NDArray[np.float64]:
        """The probability of entities, given row by row: `[entities]`."""
        spans: list[list[Span]] = [[] for _ in lengths]
        columns = (column.tolist() for column in (row, start, end, label))
        for which, first, last, name in zip(*columns, strict=True):
            spans[which].append(Span(first, last, self.tags.labels[name]))
        return np.concatenate(confidence(scores, lengths, self.table, self.tags, spans))

    def _force(self, scores: Scores, fixed: Ints) -> Scores:
        """The scores with all tags made impossible that do not agree with the fixed ones."""
        chosen = fixed != NO_TAG
        refused = chosen[..., None] & (fixed[..., None] != np.arange(scores.shape[2]))
        # A CRF that allows ill-formed tags could go on with an entity after its last character.
        refused[:, 1:] |= (chosen[:, :-1] & ~chosen[:, 1:])[..., None] & ~self.tags.begins
        return np.where(refused, -np.inf, scores)

    def _close(self, scores: Scores, closed: NDArray[np.bool_]) -> Scores:
        """The scores with all tags made impossible by which an entity begins or ends at an edge.

        What is left to a CRF that allows ill-formed tags, `Row.spans` mends afterwards.
        """
        scores = scores.copy()
        row, after = closed[:, :-1].nonzero()
        scores[row[:, None], after[:, None], self._opens.nonzero()[0]] = -np.inf
        row, before = closed[:, 1:].nonzero()
        scores[row[:, None], before[:, None], self._closes.nonzero()[0]] = -np.inf
        return scores

    def _spans(self, path: Ints, lengths: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """The row, start, end and label of each entity in `[batch, length]` tags, row by row."""
        if not self._well_formed:
            return self._repaired(path, lengths)
        flat, width = path.ravel(), path.shape[1]
        (first,), (last,) = self._opens[flat].nonzero(), self._closes[flat].nonzero()
        row = first // width
        return row, first - row * width, last - row * width + 1, (flat[first] - 1) // len(LETTERS)

    def _repaired(self, path: Ints, lengths: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the same for a CRF that allows ill-formed tags."""
        numbers = {label: number for number, label in enumerate(self.tags.labels)}
        rows = [
            (row, span.start, span.end, numbers[span.label])
            for row, (tags, length) in enumerate(zip(path.tolist(), lengths.tolist(), strict=True))
            for span in self.tags.decode(tags[:length])
        ]
        row, start, end, label = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        return row, start, end, label


def _within(words: Preferences, found: Found) -> NDArray[np.bool_]:
    """Which preferred entities lie within a longer one that was found: `[words]`."""
    if not len(found.row):
        return np.zeros(len(words.row), dtype=bool)
    width = int(max(words.end.max(), found.end.max()))
    starts = found.row * width + found.start
    last = starts.searchsorted(words.row * width + words.start, side="right") - 1
    longer = found.end[last] - found.start[last] > words.end - words.start
    within: NDArray[np.bool_] = (
        (last >= 0) & (found.row[last] == words.row) & (found.end[last] >= words.end) & longer
    )
    return within
