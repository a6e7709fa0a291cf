"""The segmenter: any text in, its words out, each at its offset in the text as it was given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.batching import Windows, batches
from fenjie.runtime.decoding.gaps import boundaries, spans, words
from fenjie.runtime.folder import ONNX, ModelFolder
from fenjie.runtime.rows import SEPARATOR, is_space, origins
from fenjie.runtime.rules.unsplittable import atoms
from fenjie.runtime.session import Session
from fenjie.runtime.words.user_words import Matcher, UserWords
from fenjie.text.span import Sentence
from fenjie.text.split import sentences
from fenjie.text.vocabulary import code_points

CHUNK = 1 << 16
"""About how many characters are worked on at once, whatever the number and length of the texts."""

_PARAGRAPH = re.compile(r"\n(?=\S)")


class Segmenter:
    """Finds the words of Chinese text with an exported model. Needs no torch.

    A run of whitespace is a word of its own; whitespace is never shown to the model. The words of
    a text tile it: `"".join(sentence.words) == text` for any text, of any length. A text has the
    same words whether it comes alone or in a list. One segmenter may serve many threads.

    Attributes:
        folder: the model.
        words: the user words, none at first; they win over the model (see `UserWords`).
    """

    def __init__(self, folder: ModelFolder, threads: int = 1) -> None:
        """Load the model of a folder.

        Args:
            folder: the model.
            threads: how many threads one call may use.

        Raises:
            FileError: the folder has no exported model, or one that cannot be run.
        """
        self.folder = folder
        self._indexer = folder.indexer
        self._normaliser = folder.normaliser
        self._keep_atoms = folder.atoms
        self.words = UserWords(folder.normaliser)
        self._session = Session(folder.file(ONNX), threads)

    @overload
    def __call__(self, text: str) -> Sentence: ...  # type: ignore[overload-overlap]

    @overload
    def __call__(self, text: Iterable[str]) -> list[Sentence]: ...

    def __call__(self, text: str | Iterable[str]) -> Sentence | list[Sentence]:
        """Segment one text or several.

        Args:
            text: a text, or texts.

        Returns:
            The segmented sentence, or one for each text, in order.
        """
        if isinstance(text, str):
            return next(self.stream([text]))
        return list(self.stream(text))

    def stream(self, texts: Iterable[str]) -> Iterator[Sentence]:
        """Segment texts as they come, about `CHUNK` characters at a time, in order."""
        for text, starts in self._starts(texts):
            yield Sentence(text, spans(starts, len(text)))

    def cut(self, text: str) -> list[str]:
        """The words of a text: those of `self(text)`, without their offsets."""
        return words(*next(self._starts([text])))

    def _starts(self, texts: Iterable[str]) -> Iterator[tuple[str, list[int]]]:
        """Each text with the offsets of its words."""
        for chunk in chunks(texts):
            matcher = self.words.matcher
            if len(chunk) > 1:
                yield from zip(chunk, self._chunk_starts(chunk, matcher), strict=True)
            else:
                starts = []
                for offset, part in paragraphs(chunk[0]):
                    found = next(self._chunk_starts([part], matcher))
                    starts += [offset + start for start in found]
                yield chunk[0], starts

    def _chunk_starts(self, texts: Sequence[str], matcher: Matcher | None) -> Iterator[list[int]]:
        """The offsets of the words of each text, all worked on together.

        Args:
            texts: the texts.
            matcher: what finds the user words, None where there are none.
        """
        joined = SEPARATOR.join(texts)
        codes = code_points(joined)
        space = is_space(codes)
        begins = self._model_starts(texts, space)
        if self._keep_atoms:
            found = atoms(joined, codes)
            begins = (begins | found.edge) & ~found.inside
        if matcher is not None:
            start, end, _ = matcher.find_in(texts, codes)
            insist(begins, start, end)
        sizes = np.array([len(text) for text in texts])
        ends = np.cumsum(sizes + len(SEPARATOR)) - len(SEPARATOR)
        begins[1:] = np.where(
            space[1:] | space[:-1], space[1:] != space[:-1], begins[1:]
        )  # an edge of whitespace is one of words, the inside of it is none
        begins[(ends - sizes)[sizes > 0]] = True
        starts = np.flatnonzero(begins)
        borders = np.searchsorted(starts, (ends - sizes, ends)).T
        for (low, high), size, end in zip(borders, sizes, ends, strict=True):
            yield (starts[low:high] - (end - size)).tolist()

    def _model_starts(self, texts: Sequence[str], space: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Where the model lets words begin.

        Args:
            texts: the texts.
            space: where whitespace stands in the texts, joined by `SEPARATOR`.

        Returns:
            A mask over the characters of the joined texts.
        """
        normalised = [self._normaliser(text) for text in texts]
        codes = code_points(SEPARATOR.join(part.text for part in normalised))
        origin = origins(normalised)
        # What the model sees: the row of all characters but whitespace.
        seen = np.flatnonzero(~(space[origin] | is_space(codes)))
        edges = np.searchsorted(origin[seen], sentence_ends(texts))
        edges = np.unique(np.append(0, edges))
        table = self._indexer.rows(self._indexer.fold(codes[seen]), edges[1:])
        begins = np.zeros(len(seen), dtype=bool)
        begins[edges[:-1]] = True
        for batch in batches(table, Windows.over(edges[:-1], edges[1:])):
            found = boundaries(self._session(batch.ids, batch.lengths))
            begins[batch.positions[batch.decided]] = found[batch.decided]
        result = np.zeros(len(space), dtype=bool)
        place = origin[seen]
        # Inside of what was one character in the text no word begins.
        begins[1:] &= place[1:] != place[:-1]
        result[place[begins]] = True
        return result


def insist(begins: NDArray[np.bool_], start: NDArray[np.int64], end: NDArray[np.int64]) -> None:
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


def chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts in lists of about `CHUNK` characters; a longer text stands alone."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        if chunk and size + len(text) > CHUNK:
            yield chunk
            chunk, size = [], 0
        chunk.append(text)
        size += len(text) + 1
    if chunk:
        yield chunk


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """A long text in parts of about `CHUNK` characters with their offsets.

    A part ends behind a line break that no whitespace follows, so that no word is cut.
    """
    start = 0
    while len(text) - start > CHUNK:
        found = _PARAGRAPH.search(text, start + CHUNK)
        if found is None:
            break
        yield start, text[start : found.end()]
        start = found.end()
    yield start, text[start:]


def sentence_ends(texts: Sequence[str]) -> NDArray[np.int64]:
    """The offsets behind all sentences of texts joined by `SEPARATOR`."""
    ends: list[int] = []
    offset = 0
    for text in texts:
        ends += [offset + end for _, end in sentences(text)]
        offset += len(text) + len(SEPARATOR)
    return np.array(ends, dtype=np.int64)
