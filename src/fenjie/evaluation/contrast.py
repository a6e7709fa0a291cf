"""The sentences in which two systems answer differently, beside gold.

```
sentence 12 · right of 2: A 1, B 2
  gold  他在[北京市 LOC]说，[李雷 PER]…
  A     他在[北京 LOC]市说，[李雷 PER]…
  B     他在[北京市 LOC]说，[李雷 PER]…
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fenjie.evaluation.diff import Piece, Role, pieces, plain, window
from fenjie.evaluation.entity_scores import entities
from fenjie.evaluation.shares import pairs
from fenjie.text.span import Sentence, Span


@dataclass(frozen=True)
class Contrast:
    """A sentence in which two answers differ.

    Attributes:
        number: of the sentence, counted from 1.
        spans: number of its gold spans.
        right: number of these that the first and the second system found, by exact spans.
        gold: the text around the differences in pieces, the gold spans marked.
        one: the same with the spans of the first system.
        other: the same with those of the second.
    """

    number: int
    spans: int
    right: tuple[int, int]
    gold: tuple[Piece, ...]
    one: tuple[Piece, ...]
    other: tuple[Piece, ...]

    def as_dict(self) -> dict[str, object]:
        """The block for JSON."""
        texts = {"gold": plain(self.gold), "a": plain(self.one), "b": plain(self.other)}
        return {"sentence": self.number, "spans": self.spans, "right": list(self.right), **texts}


def contrasts(
    gold: Sequence[Sentence], one: Sequence[Sentence], other: Sequence[Sentence], *, words: bool
) -> Iterator[Contrast]:
    """Each sentence in which two systems answer differently, in order.

    Args:
        gold: the sentences as they should be.
        one: the answers of the first system.
        other: those of the second.
        words: whether words are compared; otherwise entities.

    Raises:
        FenjieError: the sentences do not correspond.
    """
    answers = zip(pairs(gold, one), pairs(gold, other), strict=True)
    for number, ((right, first), (_, second)) in enumerate(answers, 1):
        sides = [list(s.spans) if words else entities(s) for s in (right, first, second)]
        ours, theirs, others = sides
        if not (between := sorted(set(theirs) ^ set(others))):
            continue
        place = window(right.text, between, [span for side in sides for span in side])
        both = set(ours) & set(theirs) & set(others)
        draw = _words if words else pieces
        yield Contrast(
            number,
            len(ours),
            (len(set(ours) & set(theirs)), len(set(ours) & set(others))),
            draw(right.text, ours, both, "missed", *place),
            draw(right.text, theirs, set(ours), "spurious", *place),
            draw(right.text, others, set(ours), "spurious", *place),
        )


def _words(
    text: str, spans: Sequence[Span], right: set[Span], other: Role, first: int, last: int
) -> tuple[Piece, ...]:
    """The words from `first` to `last` with a space between them."""
    found: list[Piece] = [("… ", "")] if first else []
    for span in spans:
        if first <= span.start and span.end <= last:
            found += [(span.of(text), "right" if span in right else other), (" ", "")]
    return (*found[:-1], (" …", "")) if last < len(text) else tuple(found[:-1])
