"""The tagger: any text in, its named entities out, each at its offset in the text as given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any

from fenjie.errors import FenjieError, several, shorten
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
        labels: the types of entities that it finds, in the model's order.
    """

    def __init__(
        self, folder: ModelFolder, threads: int = 1, labels: Iterable[str] | None = None
    ) -> None:
        """Load the model of a folder.

        Args:
            folder: the model.
            threads: the number of threads that one call may use.
            labels: see `only`; None for all that the model knows.

        Raises:
            FileError: a file is missing or damaged, or the folder has no exported model.
            FenjieError: the model does not know a label.
        """
        from fenjie.runtime.scorer import OnnxScorer  # loads ONNX Runtime

        self.folder, self.threads = folder, threads
        self._decode = Decoder(folder.tags, folder.transitions, with_confidence=True)
        lexicon = None if folder.words is None else folder.words.lexicon
        self.labels = known = self._decode.tags.labels
        self.lexicon = EntityWords(folder.normaliser, known, lexicon)
        self._reader = LatticeReader.of(folder, EXPORTED_PAIRS)
        self._score = OnnxScorer.of(folder, (2, len(folder.tags)), threads)
        if labels is not None:
            self.labels = self.checked(labels)

    def copy(self) -> EntityTagger:
        """Another tagger over the same model: its words are at first those of this one."""
        other = copy(self)
        other.folder = folder = self.folder.copy()
        other.lexicon = self.lexicon.copy(None if folder.words is None else folder.words.lexicon)
        other._reader = LatticeReader.of(folder, EXPORTED_PAIRS)
        other._score = self._score.with_words(folder.words)
        return other

    def only(self, labels: Iterable[str]) -> EntityTagger:
        """A copy that finds the same entities and leaves those of other types out.

        Args:
            labels: the types that stay, at least one.

        Raises:
            FenjieError: the model does not know a label, or there is none.
        """
        other = self.copy()
        other.labels = self.checked(labels)
        return other

    def checked(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Types of entities in the model's order, each once.

        Raises:
            FenjieError: the model does not know one of them, or there is none.
        """
        known, wanted = self._decode.tags.labels, list(several(labels, "labels"))
        expected = f"expected some of {', '.join(known)}"
        if not wanted:
            raise FenjieError(f"found no label; {expected}")
        for label in wanted:
            if label not in known:
                raise FenjieError(f"the model knows no label {shorten(label)}; {expected}")
        return tuple(label for label in known if label in wanted)

    def __reduce__(self) -> tuple[Any, ...]:
        """As that of an `Annotator`, with the labels."""
        return type(self), (self.folder, self.threads, self.labels), self._changes

    def reading(self, texts: Sequence[str]) -> LatticeReading:
        """Some texts as the model is given them, with the words as they are now.

        Offsets are those of texts without `invisible` characters, which no model is given.
        """
        return self._reader.read([visible(text) for text in texts], self._matcher)

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
        found = self._reader.read(texts, matcher).decoded(self._score, self._decode)
        labels = self.labels
        if labels == self._decode.tags.labels:
            return found
        return [tuple(span for span in spans if span.label in labels) for spans in found]

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
