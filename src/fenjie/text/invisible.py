"""Characters without a glyph, such as the zero-width space.

Text of the web and of PDF files has them inside of words. A tagger does not show them to its model,
and its results have them where they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fenjie.text.span import Span
from fenjie.text.vocabulary import code_points

INVISIBLE = (
    "\u00ad"  # soft hyphen
    "\u200b\u200c"  # zero-width space and non-joiner; the joiner is part of emoji
    "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # directions of writing
    "\u2060\ufeff"  # word joiner, byte order mark
)
"""The characters."""

_IS_INVISIBLE = np.zeros(ord(max(INVISIBLE)) + 2, dtype=bool)
_IS_INVISIBLE[[ord(character) for character in INVISIBLE]] = True

_REMOVED = dict.fromkeys(map(ord, INVISIBLE))


def any_invisible(texts: Sequence[str]) -> bool:
    """Whether some texts have an invisible character among them."""
    return bool(_IS_INVISIBLE.take(code_points("".join(texts)), mode="clip").any())


def visible(text: str) -> str:
    """A text without its invisible characters."""
    return text.translate(_REMOVED)


class Visible:
    """A text without its invisible characters, and the way back to it.

    Attributes:
        text: what is left.
        origin: the text as it was given.
        place: where each character that is left comes from, `[characters]`.
    """

    def __init__(self, origin: str) -> None:
        """Leave the invisible characters out."""
        self.origin = origin
        self.place = np.flatnonzero(~_IS_INVISIBLE.take(code_points(origin), mode="clip"))
        self.text = visible(origin)

    def spans(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Spans of what is left as spans of the text, with nothing invisible at their edges."""
        place = self.place
        return tuple(
            Span(int(place[span.start]), int(place[span.end - 1]) + 1, span.label, span.confidence)
            for span in spans
        )

    def starts(self, starts: Sequence[int]) -> list[int]:
        """Starts of the words that tile what is left as those of words that tile the text.

        Invisible characters belong to the word before them, after whitespace or at the beginning
        to that after them, and are a word of their own where there is neither.
        """
        found = {int(self.place[start]) for start in starts}
        edges = np.concatenate([[-1], self.place, [len(self.origin)]])
        gaps = np.flatnonzero(np.diff(edges) > 1)
        for before, after in zip(edges[gaps].tolist(), edges[gaps + 1].tolist(), strict=True):
            if before >= 0 and not self.origin[before].isspace():
                continue
            if after < len(self.origin) and not self.origin[after].isspace():
                found.discard(after)
            elif after < len(self.origin):
                found.add(after)
            found.add(before + 1)
        return sorted(found)

    def nearest(self, values: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Values of what is left, for each character of the text that of the next: `[length]`."""
        next_one = np.searchsorted(self.place, np.arange(len(self.origin)))
        return np.append(values, False)[next_one]

    def here(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Values of what is left as values of the text, NaN elsewhere: `[length]`."""
        found = np.full(len(self.origin), np.nan, dtype=values.dtype)
        found[self.place] = values
        return found
