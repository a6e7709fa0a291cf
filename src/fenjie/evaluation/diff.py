"""A readable diff of gold and predicted entities: a block for each sentence that differs.

```
sentence 12 · boundary: 北京市 LOC → 北京 LOC
  gold       …他在[北京市 LOC]说，[李雷 PER]…
  predicted  …他在[北京 LOC]市说，[李雷 PER]…
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fenjie.evaluation.entity_report import EntityError, errors
from fenjie.evaluation.entity_scores import entities
from fenjie.evaluation.shares import pairs
from fenjie.text.span import Sentence, Span

CONTEXT = 20
"""Characters of text on either side of the first and last error."""

Role = Literal["", "right", "missed", "spurious"]
"""The role of a stretch: plain text, an entity of both sides, of gold or the prediction alone."""

Piece = tuple[str, Role]

_LINE_ENDS = str.maketrans(dict.fromkeys("\n\r\t\v\f\x85\u2028\u2029", " "))


@dataclass(frozen=True)
class Difference:
    """A sentence in which gold and prediction differ.

    Attributes:
        number: of the sentence, counted from 1.
        errors: the differences, in order of the text.
        gold: the text around the errors in pieces, the gold entities marked.
        predicted: the same with the predicted entities.
        text: the whole text.
    """

    number: int
    errors: tuple[EntityError, ...]
    gold: tuple[Piece, ...]
    predicted: tuple[Piece, ...]
    text: str

    @property
    def summary(self) -> str:
        """The errors in one line."""
        return ", ".join(
            f"{error.kind}: {' → '.join(_name(self.text, span) for span in error.sides)}"
            for error in self.errors
        )

    def as_dict(self) -> dict[str, object]:
        """The block for JSON."""
        return {"sentence": self.number, "errors": self.summary,
                "gold": plain(self.gold), "predicted": plain(self.predicted)}  # fmt: skip


def _name(text: str, span: Span) -> str:
    return f"{span.of(text).translate(_LINE_ENDS)} {span.label}"


def differences(gold: Sequence[Sentence], predicted: Sequence[Sentence]) -> Iterator[Difference]:
    """Each sentence in which the entities differ, in order.

    Raises:
        FenjieError: the sentences do not correspond.
    """
    for number, (right, answer) in enumerate(pairs(gold, predicted), 1):
        found = tuple(errors(right, answer))
        if not found:
            continue
        ours, theirs = entities(right), entities(answer)
        both = set(ours) & set(theirs)
        wrong = [span for error in found for span in error.sides]
        first, last = window(right.text, wrong, [*ours, *theirs])
        yield Difference(
            number,
            found,
            pieces(right.text, ours, both, "missed", first, last),
            pieces(right.text, theirs, both, "spurious", first, last),
            right.text,
        )


def window(text: str, wrong: Sequence[Span], spans: Iterable[Span]) -> tuple[int, int]:
    """The stretch of text to show: what is wrong, some context, and no span cut in two."""
    spans = list(spans)
    first = max(min(span.start for span in wrong) - CONTEXT, 0)
    last = min(max(span.end for span in wrong) + CONTEXT, len(text))
    while cut := [s for s in spans if s.start < first < s.end or s.start < last < s.end]:
        first = min(first, *(span.start for span in cut))
        last = max(last, *(span.end for span in cut))
    return first, last


def pieces(
    text: str, spans: Sequence[Span], both: set[Span], other: Role, first: int, last: int
) -> tuple[Piece, ...]:
    """The text from `first` to `last`, each entity in brackets with its label.

    Where entities overlap, a bracket closes the entity whose label comes before it.
    """
    marks: list[tuple[int, int, int, str, Role]] = []
    for span in spans:
        if first <= span.start and span.end <= last:
            role: Role = "right" if span in both else other
            size = span.end - span.start
            marks.append((span.start, 1, -size, "[", role))
            marks.append((span.end, 0, size, f" {span.label}]", role))
    found: list[Piece] = [("…", "")] if first else []
    open_roles: list[Role] = []
    position = first
    for place, opening, _, mark, role in sorted(marks):
        if place > position:
            found.append((text[position:place].translate(_LINE_ENDS), _inner(open_roles)))
            position = place
        found.append((mark, role))
        if opening:
            open_roles.append(role)
        else:
            open_roles.remove(role)
    if last > position:
        found.append((text[position:last].translate(_LINE_ENDS), ""))
    if last < len(text):
        found.append(("…", ""))
    return tuple(found)


def _inner(roles: Sequence[Role]) -> Role:
    """The role of a stretch inside of several entities: that of an error, if one is among them."""
    return next((role for role in roles if role != "right"), roles[0] if roles else "")


def plain(pieces: Sequence[Piece]) -> str:
    """Pieces as text."""
    return "".join(text for text, _ in pieces)
