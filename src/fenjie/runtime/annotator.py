"""Base of the segmenter and the entity tagger: texts in, sentences with spans out."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np

from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.rules.graphemes import clusters
from fenjie.runtime.words.user_words import Matcher
from fenjie.text.span import Sentence, Span
from fenjie.text.vocabulary import code_points

CHUNK = 1 << 16
"""Characters of the texts that are worked on at once, about, whatever their number."""

PART = 1 << 15
"""Characters of the parts of a longer text that are worked on at once, about."""

Result = TypeVar("Result")

_HAN = "[\u3400-\u9fff]"

_PLACES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n(?=\S)",
        rf"[。！？…；][”’」』）】》〉]*(?={_HAN})",
        rf"{_HAN}(?={_HAN})",
    )
)
"""After what a long text is cut, the best first."""


class Annotator(ABC, Generic[Result]):
    """Annotates texts of any length and any characters, many at a time.

    A text has the same result whether it comes alone or in a list. One annotator may serve many
    threads; pickled, it is loaded again from its folder, with its user words. A subclass says how
    some texts are worked on together.

    Attributes:
        folder: the model.
        threads: number of threads that one call may use.
    """

    folder: ModelFolder
    threads: int

    @overload
    def __call__(self, text: str) -> Sentence: ...  # type: ignore[overload-overlap]

    @overload
    def __call__(self, text: Iterable[str], *, workers: int = 1) -> list[Sentence]: ...

    def __call__(self, text: str | Iterable[str], *, workers: int = 1) -> Sentence | list[Sentence]:
        """Annotate one text or several.

        Args:
            text: a text, or texts.
            workers: number of processes that share the texts; see `stream`.

        Returns:
            The sentence with its spans, or one for each text, in order.
        """
        if isinstance(text, str):
            return next(self.stream([text]))
        return list(self.stream(text, workers=workers))

    def stream(self, texts: Iterable[str], *, workers: int = 1) -> Iterator[Sentence]:
        """Annotate texts as they come, about `CHUNK` characters at a time, in order.

        Args:
            texts: the texts.
            workers: number of processes that share them, each with the model and the user words as
                they are now; 1 for this process alone. They are started by the first text and
                end with the iteration.

        Raises:
            FenjieError: a worker died of a text, and the one that replaced it died too.
        """
        results = self._results(texts) if workers == 1 else self._shared(texts, workers)
        for text, result in results:
            yield Sentence(text, self._spans(text, result))

    def _results(self, texts: Iterable[str]) -> Iterator[tuple[str, Result]]:
        """Each text with its result."""
        for chunk in chunks(texts):
            yield from zip(chunk, self._chunk(chunk), strict=True)

    def _chunk(self, chunk: Sequence[str]) -> Iterable[Result]:
        """The result of each text of a chunk."""
        matcher = self._matcher
        if len(chunk) > 1 or len(chunk[0]) <= PART:
            return self._annotate(chunk, matcher)
        parts = (
            (offset, next(iter(self._annotate([part], matcher))))
            for offset, part in paragraphs(chunk[0])
        )
        return [self._joined(parts)]

    def _shared(self, texts: Iterable[str], workers: int) -> Iterator[tuple[str, Result]]:
        """Each text with its result, by several processes."""
        from fenjie.runtime.workers import ordered

        waiting: deque[list[str]] = deque()

        def numbered() -> Iterator[tuple[int, list[str]]]:
            first = 1
            for chunk in chunks(texts):
                waiting.append(chunk)
                yield first, chunk
                first += len(chunk)

        for results in ordered(_Chunks(self), numbered(), workers):
            yield from zip(waiting.popleft(), results, strict=True)

    def __copy__(self) -> Self:
        """A shallow copy, which shares the model."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        """The folder and the user words: another process loads the model by itself."""
        return type(self), (self.folder, self.threads), self._changes

    @property
    @abstractmethod
    def _changes(self) -> Any:
        """The user words, for a tagger of the same model in another process."""

    @abstractmethod
    def __setstate__(self, changes: Any) -> None:
        """Take the `_changes` of such a tagger."""

    @property
    @abstractmethod
    def _matcher(self) -> Matcher | None:
        """Finds the user words as they are now; None where there are none."""

    @abstractmethod
    def _annotate(self, texts: Sequence[str], matcher: Matcher | None) -> Iterable[Result]:
        """The result of each of some texts, all worked on together."""

    @abstractmethod
    def _joined(self, parts: Iterable[tuple[int, Result]]) -> Result:
        """The result of a text, from those of its parts, each with its offset."""

    @abstractmethod
    def _spans(self, text: str, result: Result) -> tuple[Span, ...]:
        """The spans of a text."""


class _Chunks(Generic[Result]):
    """The results of numbered chunks of texts: what a worker process does."""

    def __init__(self, annotator: Annotator[Result]) -> None:
        self._annotator = annotator

    def __call__(self, item: tuple[int, list[str]]) -> list[Result]:
        _, chunk = item
        return list(self._annotator._chunk(chunk))

    def parts(self, item: tuple[int, list[str]]) -> Iterator[tuple[str, tuple[int, list[str]]]]:
        for number, text in enumerate(item[1], item[0]):
            yield f"text {number}", (number, [text])


def chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts in lists of about `CHUNK` characters; one longer than `PART` stands alone."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        if chunk and (len(text) > PART or len(chunk[0]) > PART or size + len(text) > CHUNK):
            yield chunk
            chunk, size = [], 0
        chunk.append(text)
        size += len(text) + 1
    if chunk:
        yield chunk


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """A long text in parts of `PART` to twice as many characters, with their offsets.

    A part ends after a line break that no whitespace follows, so that no word is cut; where there
    is none, after a sentence, else between two Chinese characters, else between two characters.
    """
    start = 0
    while len(text) - start > PART:
        end = _end(text, start + PART, start + 2 * PART)
        if end >= len(text):
            break
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _end(text: str, low: int, high: int) -> int:
    """A place between two offsets of a text to cut it at."""
    for place in _PLACES:
        found = place.search(text, low, high)
        if found is not None:
            return found.end()
    if high >= len(text):
        return len(text)
    clustered = clusters(code_points(text[low : high + 1]))
    if clustered is None:
        return high
    apart = np.flatnonzero(~clustered[0])
    return low + int(apart[-1]) if apart[-1] else high
