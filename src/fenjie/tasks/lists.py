"""Lists of entities as texts have them whose spaces and marks were lost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from fenjie.errors import FenjieError
from fenjie.text.span import Sentence, Span

MARKS = "、，,；;／/"
"""The marks between the items of a list."""


def with_lists(
    sentences: Sequence[Sentence], labels: Collection[str], chosen: Sequence[str]
) -> list[Sentence]:
    """The sentences, and after them those with lists once more, without the marks of these.

    Args:
        sentences: the training data.
        labels: those in it.
        chosen: those of which lists are learnt so.

    Raises:
        FenjieError: one of these is not in the training data.
    """
    for label in chosen:
        if label not in labels:
            raise FenjieError(
                f"lists names a label that the training data do not have; found {label!r}; "
                f"expected some of {', '.join(labels)}"
            )
    again = (without_marks(sentence, chosen) for sentence in sentences)
    return [*sentences, *(sentence for sentence in again if sentence is not None)]


def without_marks(sentence: Sentence, labels: Collection[str]) -> Sentence | None:
    """The sentence without the marks of its lists.

    Names in a list often stand side by side, with nothing between them: the spaces or line breaks
    that parted them were lost. Training texts have few of these, and many lists with marks.

    Args:
        sentence: with spans in order, none over another.
        labels: a mark is taken out where it alone stands between two spans of one of these labels.

    Returns:
        The sentence with its spans at their new places; None if it has no such list.
    """
    between = (
        left.end
        for left, right in pairwise(sentence.spans)
        if left.label == right.label and left.label in labels and right.start == left.end + 1
    )
    lost = [place for place in between if sentence.text[place] in MARKS]
    if not lost:
        return None
    text = "".join(
        sentence.text[start + 1 : end] for start, end in pairwise([-1, *lost, len(sentence.text)])
    )
    spans = []
    before = 0
    for span in sentence.spans:
        while before < len(lost) and lost[before] < span.start:
            before += 1
        spans.append(Span(span.start - before, span.end - before, span.label))
    return Sentence(text, tuple(spans))
