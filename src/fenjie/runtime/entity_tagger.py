"""The tagger: any text in, its named entities out, each at its offset in the text as given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any

from fenjie.runtime.annotator import Annotator
from fenjie.runtime.decoding.entities import Decoder
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.lattices import EXPORTED_PAIRS, LatticeReader, LatticeReading
from fenjie.runtime.parts import Part
from fenjie.runtime.words.entity_words import EntityWords
from fenjie.runtime.words.user_words import Matcher
from fenjie.text.invisible import Visible, visible
from fenjie.text.span import Sentence, Span

Spans = tuple[Span, ...]


class EntityTagger(Annotator[Spans]):
    """Finds the named entities of Chinese text with an exported model. Needs no torch.

    Whitespace is never shown to the model: an entity may reach over it, as a name that a line
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
            threads: the number of threads that one call may use.

        Raises:
            FileError: a file is missing or damaged, or the folder has no exported model.
        """
        from fenjie.runtime.scorer import OnnxScorer  # loads ONNX Runtime

        self.folder, self.threads = folder, threads
        self._decode = Decoder(folder.tags, folder.transitions, with_confidence=True)
        lexicon = None if folder.words is None else folder.words.lexicon
        self.lexicon = EntityWords(folder.normaliser, self.labels, lexicon)
        self._reader = LatticeReader.of(folder, EXPORTED_PAIRS)
        self._score = OnnxScorer.of(folder, (2, len(folder.tags)), threads)

    def copy(self) -> EntityTagger:
        """Another tagger over the same model: its words are at first those of this one."""
        other = copy(self)
        other.folder = folder = self.folder.copy()
        other.lexicon = self.lexicon.copy(None if folder.words is None else folder.words.lexicon)
        other._reader = LatticeReader.of(folder, EXPORTED_PAIRS)
        other._score = self._score.with_words(folder.words)
        return other

    def reading(self, texts: Sequence[str]) -> LatticeReading:
        """Some texts as the model is given them, with the words as they are now.

        Offsets are those of texts without `invisible` characters, which no model is given.
        """
        return self._reader.read([visible(text) for text in texts], self._matcher)

    @property
    def labels(self) -> tuple[str, ...]:
        """The types of entities that the model knows."""
        return self._decode.tags.labels

    @property
    def _changes(self) -> Any:
        return self.lexicon.changes

    def __setstate__(self, changes: Any) -> None:
        """Take the words of another tagger with the same model."""
        self.lexicon.repeat(changes)

    @property
    def _matcher(self) -> Matcher | None:
        return self.lexicon.matcher

    def _annotate(self, texts: Sequence[str], matcher: Matcher | None) -> list[Spans]:
        """The entities of each text."""
        return self._reader.read(texts, matcher).decoded(self._score, self._decode)

    def _moved(self, result: Spans, shown: Visible) -> Spans:
        return shown.spans(result)

    def _joined(self, parts: Iterable[tuple[Part, Spans]]) -> Spans:
        return tuple(
            Span(span.start + part.offset, span.end + part.offset, span.label, span.confidence)
            for part, spans in parts
            for span in spans
        )

    def _sentences(self, parts: Iterable[tuple[Part, Spans]]) -> Iterator[Sentence]:
        return (Sentence(part.text, spans) for part, spans in parts)

    def _spans(self, text: str, result: Spans) -> Spans:
        return result
