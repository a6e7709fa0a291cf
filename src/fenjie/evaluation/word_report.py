"""The most frequent errors of a segmenter: words split, merged and shifted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from fenjie.evaluation.confusions import ErrorReport, Tally, in_context
from fenjie.evaluation.shares import pairs
from fenjie.text.span import Sentence

KINDS = ("split", "merged", "shifted")
"""The kinds of errors: one gold word in several; several gold words in one; any other stretch in
which both sides put boundaries, none of them the same."""


def report(gold: Sequence[Sentence], predicted: Sequence[Sentence], most: int = 20) -> ErrorReport:
    """Count the errors of a segmentation.

    An error is a smallest stretch of text at whose ends both segmentations have a boundary and
    inside of which they differ.

    Args:
        gold: the sentences as they should be.
        predicted: the same texts as a system segments them.
        most: number of confusions to report.

    Raises:
        FenjieError: the sentences do not correspond.
    """
    tally = Tally()
    for right, answer in pairs(gold, predicted):
        for start, end, ours, theirs in differences(right, answer):
            kind = "split" if len(ours) == 1 else "merged" if len(theirs) == 1 else "shifted"
            tally.add(kind, ours, theirs, in_context(right.text, start, end))
    return tally.report(KINDS, most)


def differences(
    gold: Sentence, predicted: Sentence
) -> Iterator[tuple[int, int, tuple[str, ...], tuple[str, ...]]]:
    """Each smallest stretch in which two segmentations differ: start, end, the words of both."""
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
            words = [
                _words(gold.text, [start, *(cut for cut in cuts if cut in edges), end])
                for edges in (ours, theirs)
            ]
            yield start, end, words[0], words[1]


def _words(text: str, edges: list[int]) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in pairwise(edges))
