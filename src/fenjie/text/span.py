"""Spans and sentences: the one currency for words and for entities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import NamedTuple

from fenjie.errors import FenjieError, several, shorten
from fenjie.text.drawing import Piece, html

WORD = "W"
"""The label of a word in a segmented sentence."""


def holds_whitespace(label: str) -> bool:
    """Whether a label cannot stand in a line that is cut at whitespace, as columns and brat are."""
    return any(map(str.isspace, label))


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A labelled stretch of a text.

    Attributes:
        start: offset of its first character in the text.
        end: offset after its last character (half open).
        label: entity type, or `WORD` for a word.
        confidence: probability between 0 and 1 where the model gives one.
    """

    start: int
    end: int
    label: str = WORD
    confidence: float | None = field(default=None, compare=False)

    def of(self, text: str) -> str:
        """The stretch of `text` that the span covers."""
        return text[self.start : self.end]


class Entity(NamedTuple):
    """A named entity, for those who read results: a span with its text.

    Attributes:
        text: the stretch of the sentence.
        label: its type, such as `PER`.
        start: offset of its first character in the sentence.
        end: offset after its last character.
        confidence: the probability that just this entity stands there, None where unknown.
    """

    text: str
    label: str
    start: int
    end: int
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text and its labelled spans, in order. For segmentation the spans tile the text.

    Attributes:
        text: the text exactly as it was given.
        spans: the spans, sorted by start, each inside the text and not empty; of what else holds
            spans, such as a list, a tuple is made.
    """

    text: str
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        """Check the spans.

        Raises:
            FenjieError: a span is empty, outside of the text, out of order or no span, or the text
                is none.
        """
        try:
            object.__setattr__(self, "spans", tuple(self.spans))
            length, last = len(self.text), 0
            for span in self.spans:
                if not 0 <= span.start < span.end <= length:
                    raise FenjieError(
                        f"span {span.start}–{span.end} is empty or outside of a text of "
                        f"{length} characters: {shorten(self.text)}"
                    )
                if span.start < last:
                    raise FenjieError(f"spans are not sorted by start at {span.start}")
                last = span.start
        except (AttributeError, TypeError) as error:
            found = f"found {shorten(self.text)} and {shorten(self.spans)}"
            raise FenjieError(f"{found}; expected a text and spans of it, each a Span") from error

    @classmethod
    def from_words(cls, words: Iterable[str]) -> Sentence:
        """The segmented sentence that `words` spell.

        Raises:
            FenjieError: a word is empty, or no text; or there is one text instead of words.
        """
        words = list(several(words, "words"))
        try:
            text = "".join(words)
        except TypeError as error:
            odd = next(word for word in words if not isinstance(word, str))
            raise FenjieError(f"found {shorten(odd)}; expected a word") from error
        ends = accumulate(map(len, words), initial=0)
        return cls(text, tuple(Span(start, end) for start, end in pairwise(ends)))

    def only(self, labels: Iterable[str]) -> Sentence:
        """The sentence with those of its spans that have one of some labels.

        Raises:
            FenjieError: `labels` is one text, or nothing to iterate over.
        """
        kept = tuple(several(labels, "labels"))
        return Sentence(self.text, tuple(span for span in self.spans if span.label in kept))

    @property
    def words(self) -> list[str]:
        """The stretches of text under the spans, in order."""
        return [self.text[span.start : span.end] for span in self.spans]

    @property
    def entities(self) -> list[Entity]:
        """The spans that are not words, with their texts, in order."""
        text = self.text
        return [
            Entity(text[span.start : span.end], span.label, span.start, span.end, span.confidence)
            for span in self.spans
            if span.label != WORD
        ]

    @property
    def tiled(self) -> bool:
        """Whether the spans cover every character exactly once, as words do."""
        edges = [0, *(span.end for span in self.spans)]
        starts = [*(span.start for span in self.spans), len(self.text)]
        return edges == starts

    def pieces(self) -> Iterator[Piece]:
        """The text in pieces, a span each or what lies between; of overlapping spans the first."""
        text, last = self.text, 0
        for span in self.spans:
            if span.start < last:
                continue
            if span.start > last:
                yield Piece(text[last : span.start])
            label = None if span.label == WORD else span.label
            yield Piece(span.of(text), span.label == WORD, label, span.confidence)
            last = span.end
        if last < len(text):
            yield Piece(text[last:])

    def _repr_html_(self) -> str:
        """The words and entities in colour, for a notebook."""
        return html([self.pieces()])


class Sentences(list[Sentence]):
    """A list of sentences that a notebook draws."""

    def _repr_html_(self) -> str:
        return html(sentence.pieces() for sentence in self)
