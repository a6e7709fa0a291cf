"""Errors of an entity recogniser: missed, spurious, wrong type, wrong boundaries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from fenjie.evaluation.confusions import ErrorReport, Tally, in_context
from fenjie.evaluation.entity_scores import BANDS, Mention, band, entities
from fenjie.evaluation.shares import pairs
from fenjie.text.span import Sentence, Span

Kind = Literal["missed", "spurious", "type", "boundary", "both"]

KINDS: tuple[Kind, ...] = ("missed", "spurious", "type", "boundary", "both")
"""The kinds of errors: nothing predicted there; nothing in gold there; the right boundaries with
another label; other boundaries with the right label; other boundaries and another label."""


@dataclass(frozen=True)
class EntityError:
    """One error in a sentence; there is no gold entity if it is spurious, no other if missed."""

    kind: Kind
    gold: Span | None
    predicted: Span | None

    @property
    def sides(self) -> list[Span]:
        """The gold entity and the prediction, as far as there are."""
        return [span for span in (self.gold, self.predicted) if span is not None]

    @property
    def extent(self) -> tuple[int, int]:
        """The stretch of text that both cover together."""
        return min(span.start for span in self.sides), max(span.end for span in self.sides)


@dataclass(frozen=True)
class EntityReport(ErrorReport):
    """The errors of an entity recogniser.

    Attributes:
        lengths: number of errors of each kind by the length of the gold entity (of the predicted
            one where the error is spurious), in the bands of `fenjie.evaluation.entity_scores`.
        seen: the same by whether that mention is `seen` in the training data or `unseen`; empty
            where the training data is not known.
        labels: gold label, predicted label and count of the type errors, the most frequent
            first.
    """

    lengths: dict[str, dict[str, int]]
    seen: dict[str, dict[str, int]]
    labels: tuple[tuple[str, str, int], ...]


def report(
    gold: Sequence[Sentence],
    predicted: Sequence[Sentence],
    seen: AbstractSet[Mention] | None = None,
    most: int = 20,
) -> EntityReport:
    """Count the errors.

    Args:
        gold: the sentences with the entities that they should have.
        predicted: the same texts with the entities of a system.
        seen: the mentions of the training data.
        most: number of confusions to report.

    Raises:
        FenjieError: the sentences do not correspond.
    """
    tally = Tally()
    by_length: defaultdict[str, Counter[str]] = defaultdict(Counter)
    by_seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    labels: Counter[tuple[str, str]] = Counter()
    for right, answer in pairs(gold, predicted):
        for error in errors(right, answer):
            ours, theirs = _mention(right, error.gold), _mention(right, error.predicted)
            mention = ours or theirs
            assert mention is not None
            by_length[band(len(mention[0]))][error.kind] += 1
            if seen is not None:
                by_seen["seen" if mention in seen else "unseen"][error.kind] += 1
            if error.kind == "type" and ours and theirs:
                labels[ours[1], theirs[1]] += 1
            tally.add(error.kind, ours, theirs, in_context(right.text, *error.extent))
    found = tally.report(KINDS, most)
    return EntityReport(
        found.kinds,
        found.confusions,
        {name: _in_order(by_length[name]) for name in BANDS if name in by_length},
        {name: _in_order(by_seen[name]) for name in ("seen", "unseen") if seen is not None},
        tuple((*pair, count) for pair, count in labels.most_common()),
    )


def _in_order(counts: Counter[str]) -> dict[str, int]:
    return {kind: counts[kind] for kind in KINDS}


def _mention(sentence: Sentence, span: Span | None) -> Mention | None:
    return None if span is None else (span.of(sentence.text), span.label)


def errors(gold: Sentence, predicted: Sentence) -> Iterator[EntityError]:
    """The errors in a sentence, in order of the text; each wrong entity belongs to one.

    Entities that are not in both sides are paired: first those of equal boundaries, then those that
    overlap, first of the same label, then the longer overlap, then the earlier. An
    entity without a partner is missed or spurious.
    """
    ours, theirs = entities(gold), entities(predicted)
    if ours == theirs:
        return
    both = set(ours) & set(theirs)
    ours, theirs = ([s for s in spans if s not in both] for spans in (ours, theirs))
    found = [
        EntityError(_kind(right, answer), right, answer)
        for right, answer in _partners(ours, theirs)
    ]
    paired = {error.gold for error in found}, {error.predicted for error in found}
    found += [EntityError("missed", span, None) for span in ours if span not in paired[0]]
    found += [EntityError("spurious", None, span) for span in theirs if span not in paired[1]]
    yield from sorted(found, key=lambda error: error.extent)


def _partners(ours: list[Span], theirs: list[Span]) -> Iterator[tuple[Span, Span]]:
    candidates = sorted(
        (
            (right.start, right.end) != (answer.start, answer.end),
            right.label != answer.label,
            max(right.start, answer.start) - min(right.end, answer.end),
            right,
            answer,
        )
        for right in ours
        for answer in theirs
        if right.start < answer.end and answer.start < right.end
    )
    used: tuple[set[Span], set[Span]] = (set(), set())
    for *_, right, answer in candidates:
        if right not in used[0] and answer not in used[1]:
            used[0].add(right)
            used[1].add(answer)
            yield right, answer


def _kind(gold: Span, predicted: Span) -> Kind:
    if (gold.start, gold.end) == (predicted.start, predicted.end):
        return "type"
    return "boundary" if gold.label == predicted.label else "both"
