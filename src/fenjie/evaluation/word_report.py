"""The most frequent errors of a segmenter: words split, merged and shifted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from fenjie.text.span import Sentence

Kind = Literal["split", "merged", "shifted"]

CONTEXT = 8
"""Characters of an example on either side of the error."""


@dataclass(frozen=True)
class Confusion:
    """One way in which gold words are segmented wrongly.

    Attributes:
        kind: `split`: one gold word in several; `merged`: several gold words in one; `shifted`:
            any other stretch in which both sides put boundaries, none of them the same.
        gold: the gold words.
        predicted: the words in their place.
        count: number of times this happens.
        examples: some places, with their context; the error is in brackets.
    """

    kind: Kind
    gold: tuple[str, ...]
    predicted: tuple[str, ...]
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class ErrorReport:
    """The errors of a segmentation.

    Attributes:
        kinds: number of errors of each kind.
        confusions: the most frequent ones, the most frequent first.
    """

    kinds: dict[Kind, int]
    confusions: tuple[Confusion, ...]


def report(
    gold: Sequence[Sentence], predicted: Sequence[Sentence], most: int = 20, examples: int = 2
) -> ErrorReport:
    """Count the errors of a segmentation.

    An error is a smallest stretch of text at whose ends both segmentations have a boundary and
    inside of which they differ.

    Args:
        gold: the sentences as they should be.
        predicted: the same texts as a system segments them.
        most: number of confusions to report.
        examples: number of places to show for each.
    """
    counts: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    places: defaultdict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = defaultdict(list)
    for right, answer in zip(gold, predicted, strict=True):
        if right.spans == answer.spans:
            continue
        for start, end, pair in differences(right, answer):
            counts[pair] += 1
            if len(places[pair]) < examples:
                places[pair].append(in_context(right.text, start, end))
    kinds: dict[Kind, int] = {"split": 0, "merged": 0, "shifted": 0}
    for pair, count in counts.items():
        kinds[kind_of(*pair)] += count
    order = sorted(counts, key=lambda pair: (-counts[pair], pair))
    return ErrorReport(
        kinds,
        tuple(
            Confusion(kind_of(*pair), *pair, counts[pair], tuple(places[pair]))
            for pair in order[:most]
        ),
    )


def differences(
    gold: Sentence, predicted: Sentence
) -> Iterator[tuple[int, int, tuple[tuple[str, ...], tuple[str, ...]]]]:
    """Each smallest stretch in which two segmentations differ: start, end, both words."""
    ours = {0, *(span.end for span in gold.spans)}
    theirs = {0, *(span.end for span in predicted.spans)}
    inner = sorted(ours ^ theirs)
    position = 0
    for start, end in pairwise(sorted(ours & theirs)):
        first = position
        while position < len(inner) and inner[position] < end:
            position += 1
        if position > first:
            cuts = inner[first:position]
            sides = (
                _words(gold.text, [start, *(cut for cut in cuts if cut in edges), end])
                for edges in (ours, theirs)
            )
            yield start, end, (next(sides), next(sides))


def _words(text: str, edges: list[int]) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in pairwise(edges))


def kind_of(gold: tuple[str, ...], predicted: tuple[str, ...]) -> Kind:
    """The kind of an error."""
    if len(gold) == 1:
        return "split"
    return "merged" if len(predicted) == 1 else "shifted"


def in_context(text: str, start: int, end: int) -> str:
    """A stretch of a text in brackets, with some characters on either side."""
    before, after = max(start - CONTEXT, 0), end + CONTEXT
    left = ("…" if before else "") + text[before:start]
    right = text[end:after] + ("…" if after < len(text) else "")
    return f"{left}[{text[start:end]}]{right}"
