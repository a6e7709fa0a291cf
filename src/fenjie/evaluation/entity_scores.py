"""Entity scores: exact spans, overall and by type, by length, and by seen and unseen mentions.

Triples (start, end, label) of a sentence are compared. A triple counts once, even where it is
repeated; spans that overlap or are nested count each. Words (label `WORD`) are no entities.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple

from fenjie.evaluation.shares import Shares, or_none, pairs, share
from fenjie.text.span import WORD, Sentence, Span

Mention = tuple[str, str]
"""The text of an entity and its label."""

BANDS = ("1", "2", "3", "4", "5–6", "7–9", "10+")
"""The names of the bands of entity length, in characters."""

_FIRST = (1, 2, 3, 4, 5, 7, 10)
"""The least length of each band."""


class _Counts(NamedTuple):
    gold: int
    predicted: int
    correct: int


class Counts(Shares, _Counts):
    """Counts of entities, and the scores that follow.

    Attributes:
        gold: in the gold sentences.
        predicted: in the predicted sentences.
        correct: in both.
    """

    __slots__ = ()

    def as_dict(self) -> dict[str, Any]:
        """Scores and counts for JSON; a score of nothing is None."""
        shares = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return {name: or_none(value) for name, value in shares.items()} | self._asdict()


@dataclass(frozen=True)
class EntityScores(Shares):
    """The counts of a comparison, and the scores that follow from them.

    All fields are what JSON can hold, and lists are taken for the tuples that they were before:
    `EntityScores(**json.loads(json.dumps(asdict(scores))))` gives the same scores.

    Attributes:
        gold: entities in the gold sentences.
        predicted: entities in the predicted sentences.
        correct: those in both: same start, end and label.
        located: predicted entities whose start and end are those of a gold entity of any label.
        spans: the same comparison without labels.
        labels: the counts by label.
        lengths: the counts by length in characters (`BANDS`).
        seen: the counts of mentions that the training data has; None where it is not known.
    """

    gold: int
    predicted: int
    correct: int
    located: int
    spans: Counts
    labels: Mapping[str, Counts]
    lengths: Mapping[str, Counts]
    seen: Counts | None = None

    def __post_init__(self) -> None:
        """Make counts of the lists that JSON has for them."""
        counts = {
            "spans": Counts(*self.spans),
            "labels": {label: Counts(*value) for label, value in self.labels.items()},
            "lengths": {length: Counts(*value) for length, value in self.lengths.items()},
            "seen": None if self.seen is None else Counts(*self.seen),
        }
        for name, value in counts.items():
            object.__setattr__(self, name, value)

    @property
    def counts(self) -> Counts:
        """The counts over all entities."""
        return Counts(self.gold, self.predicted, self.correct)

    @property
    def unseen(self) -> Counts | None:
        """The counts of mentions that the training data does not have."""
        if self.seen is None:
            return None
        return Counts(*(every - seen for every, seen in zip(self.counts, self.seen, strict=True)))

    @property
    def span_f1(self) -> float:
        """F1 of the spans without their labels: Span F in Table 3 of FLAT (Li et al. 2020)."""
        return self.spans.f1

    @property
    def type_accuracy(self) -> float:
        """Correct entities among the predicted ones at the right place: Type Acc in that table."""
        return share(self.correct, self.located)

    @property
    def figures(self) -> dict[str, float]:
        """The columns of a table of scores."""
        nothing = float("nan")
        return {
            "P": self.precision,
            "R": self.recall,
            "F1": self.f1,
            "Span F": self.span_f1,
            "Type Acc": self.type_accuracy,
            "seen recall": nothing if self.seen is None else self.seen.recall,
            "unseen recall": nothing if self.unseen is None else self.unseen.recall,
        }

    def as_dict(self) -> dict[str, Any]:
        """Scores and counts for JSON; a score of nothing is None."""
        return {
            **self.counts.as_dict(),
            "span_f1": or_none(self.span_f1),
            "type_accuracy": or_none(self.type_accuracy),
            "located": self.located,
            "spans": self.spans.as_dict(),
            "labels": {label: value.as_dict() for label, value in self.labels.items()},
            "lengths": {length: value.as_dict() for length, value in self.lengths.items()},
            "seen": None if self.seen is None else self.seen.as_dict(),
            "unseen": None if self.unseen is None else self.unseen.as_dict(),
        }


def mentions(sentences: Iterable[Sentence]) -> set[Mention]:
    """The mentions of training data: the text of each entity with its label."""
    return {
        (span.of(sentence.text), span.label)
        for sentence in sentences
        for span in entities(sentence)
    }


def entities(sentence: Sentence) -> list[Span]:
    """The entities of a sentence in order, each once."""
    return sorted({span for span in sentence.spans if span.label != WORD})


def score(
    gold: Sequence[Sentence],
    predicted: Sequence[Sentence],
    seen: AbstractSet[Mention] | None = None,
) -> EntityScores:
    """Compare predicted entities with gold entities.

    Args:
        gold: the sentences with the entities that they should have.
        predicted: the same texts with the entities of a system.
        seen: the mentions of the training data. A mention is seen where training has the same text
            with the same label.

    Raises:
        FenjieError: the sentences do not correspond.
    """
    groups: tuple[list[tuple[str, Span]], ...] = ([], [], [])
    places, located = [0, 0, 0], 0
    for right, answer in pairs(gold, predicted):
        ours, theirs = set(entities(right)), set(entities(answer))
        for group, spans in zip(groups, (ours, theirs, ours & theirs), strict=True):
            group += [(span.of(right.text), span) for span in spans]
        our_places = {(span.start, span.end) for span in ours}
        their_places = [(span.start, span.end) for span in theirs]
        located += sum(place in our_places for place in their_places)
        common = our_places.intersection(their_places)
        for index, found in enumerate((our_places, {*their_places}, common)):
            places[index] += len(found)
    lengths = _by(lambda text, span: band(len(text)), groups)
    known = None
    if seen is not None:
        known = Counts(*(sum((text, s.label) in seen for text, s in group) for group in groups))
    return EntityScores(
        len(groups[0]),
        len(groups[1]),
        len(groups[2]),
        located,
        Counts(*places),
        _by(lambda text, span: span.label, groups),
        {name: lengths[name] for name in BANDS if name in lengths},
        known,
    )


def _by(
    key: Callable[[str, Span], str], groups: Iterable[Iterable[tuple[str, Span]]]
) -> dict[str, Counts]:
    """The counts of gold, predicted and correct entities by a key of each, in order of keys."""
    counters = [Counter(key(*entity) for entity in group) for group in groups]
    names = sorted(set().union(*counters))
    return {name: Counts(*(counter[name] for counter in counters)) for name in names}


def band(length: int) -> str:
    """The name of the band of lengths that holds a length."""
    return BANDS[bisect_right(_FIRST, length) - 1]
