"""From the scores of gaps to words, in numpy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.rules.unsplittable import Unsplittable
from fenjie.runtime.words.user_words import Candidates
from fenjie.text.span import Span


def log_odds(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """The log-odds of a boundary in each gap: `[..., gaps, 2] -> [..., gaps]`.

    Above 0 there is one; label 1 is a boundary.
    """
    return scores[..., 1] - scores[..., 0]


def spans(starts: list[int], length: int) -> tuple[Span, ...]:
    """The words that begin at `starts` and tile a text of `length` characters."""
    return tuple(map(Span, starts, [*starts[1:], length]))


def words(text: str, starts: list[int]) -> list[str]:
    """The words that begin at `starts` and tile `text`."""
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=False)]


def settle(
    begins: NDArray[np.bool_],
    space: NDArray[np.bool_],
    rules: Unsplittable | None,
    words: Candidates | None,
) -> None:
    """Let all that goes before the model decide: rules, before them user words, then whitespace.

    Args:
        begins: where words begin by the model, `[length]`; changed in place.
        space: where whitespace is, `[length]`.
        rules: what no segmentation may split; None where there is nothing of it.
        words: the user words that are found, none over another, rising; None where there are none.
    """
    if rules is not None:
        begins |= rules.edge
        begins &= ~rules.inside
    if words is not None:
        force_words(begins, words.start, words.end)
    if space.any():
        split_at_whitespace(begins, space)


def force_words(
    begins: NDArray[np.bool_], start: NDArray[np.int64], end: NDArray[np.int64]
) -> None:
    """Let words begin and end at these places, and none begin in between.

    Args:
        begins: where words begin, `[length]`; changed in place.
        start: where words start that do not overlap, rising.
        end: where they end.
    """
    steps = np.zeros(len(begins) + 1, dtype=np.int8)
    steps[start + 1] += 1
    steps[end] -= 1
    begins &= np.cumsum(steps[:-1]) == 0
    begins[start] = True
    begins[end[end < len(begins)]] = True


def split_at_whitespace(begins: NDArray[np.bool_], space: NDArray[np.bool_]) -> None:
    """Let each run of whitespace be a word: its edges are those of words, inside of it is none.

    Args:
        begins: where words begin, `[length]`; changed in place.
        space: where whitespace is, `[length]`.
    """
    edge = space[1:] != space[:-1]
    begins[1:] = np.where(space[1:] | space[:-1], edge, begins[1:])


def where_asked(
    odds: NDArray[np.float32], space: NDArray[np.bool_], inside: NDArray[np.bool_] | None
) -> NDArray[np.float32]:
    """The log-odds of gaps, NaN where whitespace or a rule decides: `[length]`.

    Args:
        odds: log-odds that a word begins, `[length]`.
        space: where whitespace is.
        inside: where a rule lets no word begin; None where there is no rule.
    """
    closed = space.copy()
    closed[1:] |= space[:-1]
    closed[:1] = True
    if inside is not None:
        closed |= inside
    return np.where(closed, np.float32(np.nan), odds)


def starts_of_texts(
    begins: NDArray[np.bool_], start: NDArray[np.int64], end: NDArray[np.int64]
) -> Iterator[list[int]]:
    """The offsets of the words of each of some texts, counted from its own beginning.

    Args:
        begins: where words begin in a row of texts, `[length]`; changed in place: one begins where
            a text does.
        start: where each text starts, `[texts]`, rising.
        end: where it ends.
    """
    begins[start[end > start]] = True
    (found,) = begins.nonzero()
    if len(start) == 1:
        yield found.tolist()
        return
    borders = found.searchsorted((start, end)).T.tolist()
    for (low, high), first in zip(borders, start.tolist(), strict=True):
        yield (found[low:high] - first).tolist()
