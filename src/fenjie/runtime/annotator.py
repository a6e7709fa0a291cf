"""Base of the segmenter and the entity tagger: texts in, sentences with spans out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, several, shorten
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.parts import CHUNK, Part, chunks, is_long, parts
from fenjie.runtime.rows import Row
from fenjie.runtime.words.user_words import Matcher
from fenjie.text.invisible import Visible, any_invisible
from fenjie.text.span import Sentence, Sentences, Span

Result = TypeVar("Result")


class Annotator(ABC, Generic[Result]):
    """Annotates texts of any length and any characters, many at a time.

    A text has the same result whether it comes alone or in a list. One annotator may serve many
    threads; pickled, it is loaded again from its folder, with its user words. A subclass says how
    some texts are worked on together.

    Attributes:
        folder: the model.
        threads: number of threads that one call may use.
        standard: the standard by which words are cut; None where there is but one.
        labels: the types of entities that are found; none where words are.
    """

    folder: ModelFolder
    threads: int
    standard: str | None = None
    labels: tuple[str, ...] = ()

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
        return Sentences(self.stream(text, workers=workers))

    def stream(self, texts: Iterable[str], *, workers: int = 1) -> Iterator[Sentence]:
        """Annotate texts as they come, some at a time (`fenjie.runtime.parts.chunks`), in order.

        Args:
            texts: the texts.
            workers: number of processes that share them, each with the model and the user words as
                they are now; 1 for this process alone. They are started by the first text and
                end with the iteration.

        Raises:
            FenjieError: a worker died of a text, and the one that replaced it died too; or there is
                one text instead of several.
        """
        several(texts)
        results = self._results(texts) if workers == 1 else self._shared(texts, workers)
        return (Sentence(text, self._spans(text, result)) for text, result in results)

    def in_parts(self, texts: Iterable[str]) -> Iterator[Iterator[Sentence]]:
        """Annotate texts as they come, a long one in parts, so that memory stays bounded.

        Args:
            texts: the texts.

        Returns:
            For each text sentences that tile it; together they have the spans that `stream` gives.
            They are to be read before the next text is.
        """
        return self._in_parts(several(texts))

    def _in_parts(self, texts: Iterable[str]) -> Iterator[Iterator[Sentence]]:
        for chunk in chunks(texts, self._together):
            if is_long(chunk):
                yield self._sentences(self._parts(chunk[0], self._matcher))
            else:
                for text, result in zip(chunk, self._chunk(chunk), strict=True):
                    yield iter((Sentence(text, self._spans(text, result)),))

    def _results(self, texts: Iterable[str]) -> Iterator[tuple[str, Result]]:
        """Each text with its result."""
        for chunk in chunks(texts, self._together):
            yield from zip(chunk, self._chunk(chunk), strict=True)

    def _chunk(self, chunk: Sequence[str]) -> Iterable[Result]:
        """The result of each text of a chunk."""
        matcher = self._matcher
        if is_long(chunk):
            return [self._joined(self._parts(chunk[0], matcher))]
        return self._annotated(chunk, matcher)

    def _annotated(self, texts: Sequence[str], matcher: Matcher | None) -> Iterable[Result]:
        """The result of each of some texts, of which the model sees what a reader sees."""
        if not any_invisible(texts):
            return self._annotate(texts, matcher)
        shown = [Visible(text) for text in texts]
        results = self._annotate([text.text for text in shown], matcher)
        return [self._moved(result, text) for result, text in zip(results, shown, strict=True)]

    def _parts(self, text: str, matcher: Matcher | None) -> Iterator[tuple[Part, Result]]:
        """The parts of a long text, each with its result."""

        def covered(stretch: str) -> NDArray[np.bool_]:
            assert matcher is not None
            shown = Visible(stretch)
            return shown.nearest(matcher.cover(Row([shown.text], self.folder.normaliser)))

        for part in parts(text, covered if matcher else None):
            yield part, next(iter(self._annotated([part.text], matcher)))

    def _shared(self, texts: Iterable[str], workers: int) -> Iterator[tuple[str, Result]]:
        """Each text with its result, by several processes."""
        from fenjie.runtime.workers import ordered

        waiting: deque[list[str]] = deque()

        def numbered() -> Iterator[tuple[int, list[str]]]:
            first = 1
            for chunk in chunks(texts, CHUNK):
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

    def __repr__(self) -> str:
        """Its model, and the standard where there are several."""
        standard = "" if self.standard is None else f", standard {self.standard}"
        return f"<{type(self).__name__} of {self.folder.path}{standard}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """The folder and the user words: another process loads the model by itself."""
        return type(self), (self.folder, self.threads), self._changes

    @property
    def _together(self) -> int:
        """About how many characters of short texts are worked on at once."""
        return CHUNK

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
    def _moved(self, result: Result, shown: Visible) -> Result:
        """The result of a text, from that of what a reader sees of it."""

    @abstractmethod
    def _joined(self, parts: Iterable[tuple[Part, Result]]) -> Result:
        """The result of a text, from those of its parts."""

    @abstractmethod
    def _sentences(self, parts: Iterable[tuple[Part, Result]]) -> Iterator[Sentence]:
        """Sentences that tile a text, from the results of its parts."""

    @abstractmethod
    def _spans(self, text: str, result: Result) -> tuple[Span, ...]:
        """The spans of a text."""


def check_threads(threads: int) -> None:
    """Refuse a number of threads that is none.

    Raises:
        FenjieError: it is no positive integer.
    """
    if not isinstance(threads, int | np.integer) or threads < 1:
        raise FenjieError(f"threads must be at least 1; found {shorten(threads)}")


class _Chunks(Generic[Result]):
    """The results of numbered chunks of texts: what a worker process does."""

    def __init__(self, annotator: Annotator[Result]) -> None:
        self._annotator = annotator

    def __call__(self, item: tuple[int, list[str]]) -> list[Result]:
        _, chunk = item
        return [result for _, result in self._annotator._results(chunk)]

    def parts(self, item: tuple[int, list[str]]) -> Iterator[tuple[str, tuple[int, list[str]]]]:
        for number, text in enumerate(item[1], item[0]):
            yield f"text {number}", (number, [text])
