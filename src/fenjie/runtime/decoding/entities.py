"""From the scores of tags to entities, in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.decoding.crf import NO_TAG, confidence, exactly, going_on, likeliest, viterbi
from fenjie.runtime.decoding.forward_backward import ForwardBackward, Steps, Stretches
from fenjie.text.span import Span
from fenjie.text.tags import TagSet

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
        self._goes_on = ~tags.begins
        self._opens = tags.begins & (np.arange(len(tags)) != OUTSIDE)
        self._each = max((len(tags) - 1) // max(len(tags.labels), 1), 1)
        self._more = going_on(tags)
        legal = np.concatenate((tags.allowed, [tags.begins, tags.ends]))
        self._steps = Steps.of(table)
        self._well_formed = not np.isfinite(table[~legal]).any()

    def __call__(
        self, scores: Scores, lengths: Ints, offsets: Ints, fixed: Ints | None = None
    ) -> EntityColumns:
        """Decode a batch.

        Args:
            scores: `[batch, length, tags]`.
            lengths: characters of each text, `[batch]`.
            offsets: added to the offsets of the entities of each text, `[batch]`.
            fixed: tags that must be, whole entities, `[batch, length]`, `NO_TAG` where any may.
        """
        if fixed is not None:
            scores = self._force(scores, fixed)
        if not (self.with_confidence and self._well_formed):
            path = viterbi(scores, lengths, self.table)
            row, start, end, label = self._spans(np.maximum(path, OUTSIDE), lengths)
            confidences = np.full(len(row), np.nan)
            if self.with_confidence:
                confidences = self._confidence(scores, lengths, row, start, end, label)
        else:
            sums = ForwardBackward(scores, lengths, self._steps)
            path = likeliest(scores, lengths, self.table, sums, fixed is not None)
            row, start, end, label = self._spans(np.maximum(path, OUTSIDE), lengths)
            spans = Stretches.of(row, start, end)
            confidences = exactly(sums, spans, path[spans.row, spans.at], lengths, self._more)
        return EntityColumns(start + offsets[row], end + offsets[row], label, confidences)

    def _confidence(
        self, scores: Scores, lengths: Ints, row: Ints, start: Ints, end: Ints, label: Ints
    ) -> NDArray[np.float64]:
        """The probability of entities that tags were repaired for: `[entities]`."""
        spans: list[list[Span]] = [[] for _ in lengths]
        columns = (column.tolist() for column in (row, start, end, label))
        for which, first, last, name in zip(*columns, strict=True):
            spans[which].append(Span(first, last, self.tags.labels[name]))
        return np.concatenate(confidence(scores, lengths, self.table, self.tags, spans))

    def _force(self, scores: Scores, fixed: Ints) -> Scores:
        """The scores with all tags made impossible that do not agree with the fixed ones."""
        chosen = fixed != NO_TAG
        refused = chosen[..., None] & (fixed[..., None] != np.arange(scores.shape[2]))
        # Where nothing marks the last character of an entity, it must not go on after it.
        refused[:, 1:] |= (chosen[:, :-1] & ~chosen[:, 1:])[..., None] & self._goes_on
        return np.where(refused, -np.inf, scores)

    def _spans(self, path: Ints, lengths: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """The row, start, end and label of each entity in `[batch, length]` tags, row by row."""
        if not self._well_formed:
            return self._repaired(path, lengths)
        width = path.shape[1] + 1
        rows = np.full((len(path), width), OUTSIDE)
        rows[:, :-1] = path
        flat = rows.ravel()
        (first,) = self._opens[flat].nonzero()
        (last,) = ((flat[:-1] != OUTSIDE) & ~self._goes_on[flat[1:]]).nonzero()
        row = first // width
        start, end = first - row * width, last - row * width + 1
        return row, start, end, (flat[first] - 1) // self._each

    def _repaired(self, path: Ints, lengths: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the same for a CRF that allows tags which no entity has."""
        numbers = {label: number for number, label in enumerate(self.tags.labels)}
        rows = [
            (row, span.start, span.end, numbers[span.label])
            for row, (tags, length) in enumerate(zip(path.tolist(), lengths.tolist(), strict=True))
            for span in self.tags.decode(tags[:length])
        ]
        row, start, end, label = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        return row, start, end, label
