"""The segmenter: any text in, its words out, each at its offset in the text as it was given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import several
from fenjie.runtime.annotator import Annotator, check_threads
from fenjie.runtime.decoding.gaps import spans, words
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.linear_reader import TOGETHER, LinearReader
from fenjie.runtime.parts import Part, chunks
from fenjie.runtime.words.user_words import Matcher, UserWords
from fenjie.text.invisible import Visible, any_invisible
from fenjie.text.span import Sentence, Span

if TYPE_CHECKING:  # what a model does not need is not imported for it
    from fenjie.runtime.sentences import SentenceReader
    from fenjie.runtime.tagged_words import TaggedWordReader


class Segmenter(Annotator[list[int]]):
    """Finds the words of Chinese text with an exported model. Needs no torch.

    A run of whitespace is a word of its own; whitespace is never shown to the model. The words of
    a text tile it: `"".join(sentence.words) == text` for any text, of any length. A text has the
    same words whether it comes alone or in a list. One segmenter may serve many threads.

    Attributes:
        folder: the model.
        standard: the standard by which it cuts words; None where its model names none.
        words: the user words, none at first; it prefers them (see `UserWords`).
    """

    def __init__(self, folder: ModelFolder, threads: int = 1, standard: str | None = None) -> None:
        """Load the model of a folder.

        Args:
            folder: the model.
            threads: the number of threads that one call may use.
            standard: one of the model's standards; None for its default.

        Raises:
            FileError: the folder has no exported model, or one that cannot be run.
            FenjieError: the model does not know the standard, or `threads` is no positive integer.
        """
        folder.check_standard(standard)
        check_threads(threads)
        self.folder, self.threads = folder, threads
        self.standard = standard or next(iter(folder.standards), None)
        self.words = UserWords(folder.normaliser)
        self._linear = LinearReader.of(folder) if folder.is_linear else None
        if self._linear is None:
            from fenjie.runtime.scorer import OnnxScorer  # loads ONNX Runtime

            self._reader = _reader(folder, standard)
            scores = (2, len(folder.tags)) if folder.tags_words else (1, 2)
            self._score = OnnxScorer.of(folder, scores, threads)

    def copy(self) -> Segmenter:
        """Another segmenter over the same model: its user words are at first those of this one."""
        other = copy(self)
        other.words = self.words.copy()
        return other

    def by(self, standard: str | None) -> Segmenter:
        """A copy that cuts words by another standard of the model; None for its default.

        Raises:
            FenjieError: the model does not know the standard.
        """
        self.folder.check_standard(standard)
        other = self.copy()
        other.standard = standard or next(iter(self.folder.standards), None)
        if other._linear is None:
            other._reader = _reader(self.folder, other.standard)
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        """As that of an `Annotator`, with the standard."""
        return type(self), (self.folder, self.threads, self.standard), self._changes

    @overload
    def cut(self, text: str) -> list[str]: ...  # type: ignore[overload-overlap]

    @overload
    def cut(self, text: Iterable[str]) -> list[list[str]]: ...

    def cut(self, text: str | Iterable[str]) -> list[str] | list[list[str]]:
        """The words of a text or of several: those of `self(text)`, without their offsets.

        Raises:
            FenjieError: there is a table in place of texts, or one of them is none.
        """
        if isinstance(text, str):
            return words(*next(self._results([text])))
        return [words(one, starts) for one, starts in self._results(several(text))]

    def log_odds(self, texts: Iterable[str]) -> list[NDArray[np.float32]]:
        """The model's log-odds that a word begins at each character of some texts.

        They are NaN where the model is not asked: at the beginning of a text, beside whitespace
        and inside of it, at invisible characters, and where no word may begin
        (`fenjie.runtime.rules.unsplittable`). User words change nothing.
        A long text is worked on whole.

        Returns:
            `[length]` for each text.

        Raises:
            FenjieError: there is one text instead of several, or one of them is none.
        """
        found: list[NDArray[np.float32]] = []
        for chunk in chunks(several(texts), self._together):
            if not any_invisible(chunk):
                found += self._log_odds(chunk)
                continue
            shown = [Visible(text) for text in chunk]
            odds = self._log_odds([text.text for text in shown])
            found += [text.here(values) for text, values in zip(shown, odds, strict=True)]
        return found

    def _log_odds(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        if self._linear is not None:
            return self._linear.log_odds(texts)
        return self._reader.read(texts).log_odds(self._score)

    @property
    def _together(self) -> int:
        return super()._together if self._linear is None else TOGETHER

    @property
    def _changes(self) -> UserWords:
        return self.words

    def __setstate__(self, changes: UserWords) -> None:
        """Take the user words of another segmenter with the same model."""
        self.words = changes

    @property
    def _matcher(self) -> Matcher | None:
        return self.words.matcher

    def _annotate(self, texts: Sequence[str], matcher: Matcher | None) -> Iterator[list[int]]:
        """The offsets of the words of each text."""
        if self._linear is not None:
            return self._linear.starts(texts, matcher)
        return self._reader.read(texts, matcher).starts(self._score)

    def _moved(self, result: list[int], shown: Visible) -> list[int]:
        return shown.starts(result)

    def _joined(self, parts: Iterable[tuple[Part, list[int]]]) -> list[int]:
        return [part.offset + at for part, starts in parts for at in starts[part.goes_on :]]

    def _sentences(self, parts: Iterable[tuple[Part, list[int]]]) -> Iterator[Sentence]:
        texts, size, starts = list[str](), 0, list[int]()
        for part, found in parts:
            if part.goes_on:  # so the last word waits for its end
                last = starts[-1]
                if last:
                    text = "".join(texts)
                    yield Sentence(text[:last], spans(starts[:-1], last))
                    texts, size = [text[last:]], size - last
                starts = [0, *(size + at for at in found[1:])]
                texts.append(part.text)
            else:
                if texts:
                    yield Sentence("".join(texts), spans(starts, size))
                texts, size, starts = [part.text], 0, found
            size += len(part.text)
        yield Sentence("".join(texts), spans(starts, size))

    def _spans(self, text: str, result: list[int]) -> tuple[Span, ...]:
        return spans(result, len(text))


def _reader(folder: ModelFolder, standard: str | None) -> SentenceReader | TaggedWordReader:
    """The reader of a model that ONNX Runtime runs."""
    if folder.tags_words:
        from fenjie.runtime.lattices import EXPORTED_PAIRS
        from fenjie.runtime.tagged_words import TaggedWordReader

        return TaggedWordReader(folder, EXPORTED_PAIRS)
    from fenjie.runtime.sentences import SentenceReader

    return SentenceReader.of(folder, standard=standard)
