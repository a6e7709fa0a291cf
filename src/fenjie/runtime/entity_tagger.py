"""The tagger: any text in, its named entities out, each at its offset in the text as given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from fenjie.lexicon import WordVectors
from fenjie.runtime.decoding.entities import Decoder
from fenjie.runtime.folder import ONNX, ModelFolder
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.segmenter import chunks, paragraphs
from fenjie.runtime.session import INPUTS, PIECE_INPUTS, WORD_INPUTS, Session
from fenjie.runtime.windows import LatticeBatch
from fenjie.runtime.words.entity_words import EntityWords
from fenjie.text.span import Sentence, Span

BATCH = 1 << 12
"""The size of batches, see `fenjie.runtime.lattices.BATCH`. ONNX Runtime is as fast on one sentence
as on many: larger batches cost more by their padding than they gain."""


class EntityTagger:
    """Finds the named entities of Chinese text with an exported model. Needs no torch.

    White space is never shown to the model: an entity may reach over it, as a name that a line
    break or a space divides, but does not begin or end with it. A text of any length and any
    characters has the same entities whether it comes alone or in a list. One tagger may serve many
    threads.

    Attributes:
        folder: the model.
        lexicon: the words that the model sees, and those that are entities wherever they occur;
            to be changed at any time (see `EntityWords`).
    """

    def __init__(self, folder: ModelFolder, threads: int = 1) -> None:
        """Load the model of a folder.

        Args:
            folder: the model.
            threads: how many threads one call may use.

        Raises:
            FileError: a file is missing or damaged, or the folder has no exported model.
        """
        self.folder = folder
        self._decode = Decoder(folder.tags, folder.transitions, sure=True)
        lexicon = None if folder.words is None else folder.words.lexicon
        self._reader = LatticeReader(
            folder.normaliser, folder.indexer, folder.finder, BATCH, folder.pieces
        )
        self.lexicon = EntityWords(folder.normaliser, self.labels, lexicon)
        self._score = OnnxScorer(folder.file(ONNX), folder.words, threads)

    @property
    def labels(self) -> tuple[str, ...]:
        """The types of entities that the model knows."""
        return self._decode.tags.labels

    @overload
    def __call__(self, text: str) -> Sentence: ...  # type: ignore[overload-overlap]

    @overload
    def __call__(self, text: Iterable[str]) -> list[Sentence]: ...

    def __call__(self, text: str | Iterable[str]) -> Sentence | list[Sentence]:
        """Find the entities of one text or several.

        Args:
            text: a text, or texts.

        Returns:
            The sentence with its entities, or one for each text, in order.
        """
        if isinstance(text, str):
            return next(self.stream([text]))
        return list(self.stream(text))

    def stream(self, texts: Iterable[str]) -> Iterator[Sentence]:
        """Find the entities of texts as they come, many at a time, in order."""
        for chunk in chunks(texts):
            if len(chunk) > 1:
                yield from map(Sentence, chunk, self._entities(chunk))
                continue
            found: list[Span] = []
            for offset, part in paragraphs(chunk[0]):
                (spans,) = self._entities([part])
                found += [_moved(span, offset) for span in spans] if offset else spans
            yield Sentence(chunk[0], tuple(found))

    def _entities(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        reading = self._reader.read(texts, self.lexicon.matcher)
        return reading.decoded(self._score, self._decode)


class OnnxScorer:
    """Scores batches of lattices with an exported model; see `fenjie.runtime.lattices.Score`."""

    def __init__(self, path: Path, words: WordVectors | None, threads: int = 1) -> None:
        """Load an exported model.

        Args:
            path: the ONNX file.
            words: the vectors of the words that it reads; None where it reads none.
            threads: how many threads one call may use.

        Raises:
            FileError: the file is not such a model.
        """
        self._words = words
        read = (*INPUTS, *PIECE_INPUTS, *(() if words is None else WORD_INPUTS))
        self._session = Session(path, threads, read)

    def __call__(self, batch: LatticeBatch) -> NDArray[np.float32]:
        """`[batch, length, tags]`."""
        sheet = batch.sheet or ()
        if self._words is None:
            return self._session(batch.ids, batch.lengths, *sheet)
        word = batch.word.ravel()
        made = [self._words(word)]
        if "counts" in self._session.inputs:
            made.append(self._words.counts(word))
        shaped = (values.reshape(*batch.word.shape, *values.shape[1:]) for values in made)
        places = batch.start, batch.end, batch.words
        return self._session(batch.ids, batch.lengths, *sheet, *places, *shaped)


def _moved(span: Span, offset: int) -> Span:
    return Span(span.start + offset, span.end + offset, span.label, span.confidence)
