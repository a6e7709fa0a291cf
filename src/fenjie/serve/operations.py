"""The operations on texts: the body of a request in, the body of its answer out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from asyncio import Future
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic_core import to_json

from fenjie.errors import FenjieError
from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.runtime.seen import seen_words
from fenjie.runtime.segmenter import Segmenter
from fenjie.serve.batcher import Work
from fenjie.serve.batchers import Batchers
from fenjie.serve.limits import Limits, RefusedError
from fenjie.serve.messages import (
    AttentionRequest,
    LatticeAnswer,
    LatticeRequest,
    SegmentAnswer,
    SegmentRequest,
    TagAnswer,
    TagRequest,
    TrainRequest,
    read,
)
from fenjie.serve.metrics import Metrics
from fenjie.serve.strict import Message
from fenjie.serve.taggers import SEGMENT, TAG, Models
from fenjie.text.span import Sentence

TextRequest = SegmentRequest | LatticeRequest
AnyTexts = TextRequest | TrainRequest | AttentionRequest


class Operation(ABC):
    """Answers the requests of one kind.

    Attributes:
        name: its name in metrics and logs, and the last part of its path.
        request: the form of its requests.
        answer: the form of its answers.
        refusals: the status codes of its errors besides those of all operations, and when.
    """

    name: ClassVar[str]
    request: ClassVar[type[AnyTexts]]
    answer: ClassVar[type[Message]]
    refusals: ClassVar[Mapping[int, str]] = {}

    @abstractmethod
    def read(self, body: bytes) -> Any:
        """Read a request.

        Raises:
            RefusedError: it is not of the form of the operation, or too large.
        """

    @abstractmethod
    async def __call__(self, request: Any) -> bytes:
        """Answer a request.

        Raises:
            RefusedError: the service cannot take it on.
        """


class Annotating(Operation):
    """Annotates the texts of requests.

    Attributes:
        task: the task of its models.
    """

    task: ClassVar[str]
    request: ClassVar[type[TextRequest]]

    def __init__(
        self, models: Models, batchers: Batchers, limits: Limits, metrics: Metrics
    ) -> None:
        """Take the parts of the service."""
        self._models, self._batchers = models, batchers
        self._limits, self._metrics = limits, metrics

    def read(self, body: bytes) -> TextRequest:
        """Read a request.

        Raises:
            RefusedError: it is not of the form of the operation, or too large.
        """
        request = read(self.request, body)
        texts, words = request.texts, request.words
        self._limits.check(len(texts), sum(map(len, texts)) + sum(map(len, words)))
        return request

    async def __call__(self, request: TextRequest) -> bytes:
        """Answer a request.

        Raises:
            RefusedError: the service cannot take it on, or one of its user words is refused.
        """
        return self.body(request, await self.submit(request))

    def submit(self, request: TextRequest) -> Future[list[Any]]:
        """Let a request wait for its turn.

        Returns:
            A future of what `work` gives for each text.

        Raises:
            RefusedError: the service cannot take it on.
        """
        model = self._models.find(self.task, request.model)
        tagger, words, standard = model.by(request.standard), request.words, request.standard
        if not words:
            return self._batchers.submit(request.texts, self.work(tagger))
        return self._batchers.submit(
            request.texts, prepare=lambda: self.work(model.with_words(words, standard))
        )

    def body(self, request: TextRequest, results: Sequence[Any]) -> bytes:
        """The answer to a request.

        Args:
            request: the request.
            results: what `work` gives for each of its texts.
        """
        name, texts = self._models.find(self.task, request.model).name, request.texts
        self._metrics.annotated(name, len(texts), sum(map(len, texts)))
        return to_json({"model": name, "sentences": self.found(results)})

    @staticmethod
    def work(tagger: Segmenter | EntityTagger) -> Work:
        """What annotates texts."""
        return tagger

    @staticmethod
    @abstractmethod
    def found(results: Sequence[Any]) -> list[dict[str, Any]]:
        """What `work` gives for each text, as `answer` has it."""


class Segment(Annotating):
    """Finds words."""

    name, task = "segment", SEGMENT
    request, answer = SegmentRequest, SegmentAnswer

    @staticmethod
    def work(tagger: Segmenter | EntityTagger) -> Work:
        """What finds the words, without their offsets, which take a tenth of the time."""
        assert isinstance(tagger, Segmenter)
        return tagger.cut

    @staticmethod
    def found(results: Sequence[list[str]]) -> list[dict[str, Any]]:
        """The words of each text."""
        return [{"words": words} for words in results]


class Tag(Annotating):
    """Finds entities."""

    name, task = "tag", TAG
    request, answer = TagRequest, TagAnswer

    def submit(self, request: TextRequest) -> Future[list[Any]]:
        """As that of every operation on texts.

        Raises:
            RefusedError: as there, or the model does not know one of the request's labels.
        """
        assert isinstance(request, TagRequest)
        if request.labels is not None:
            tagger = self._models.find(self.task, request.model).tagger
            assert isinstance(tagger, EntityTagger)
            try:
                tagger.checked(request.labels)
            except FenjieError as error:
                raise RefusedError(422, f"labels: {error}") from error
        return super().submit(request)

    def body(self, request: TextRequest, results: Sequence[Any]) -> bytes:
        """The answer to a request: the entities of its labels."""
        assert isinstance(request, TagRequest)
        if request.labels is not None:
            results = [sentence.only(request.labels) for sentence in results]
        return super().body(request, results)

    @staticmethod
    def found(results: Sequence[Sentence]) -> list[dict[str, Any]]:
        """The entities of each text."""
        return [
            {
                "entities": [
                    {
                        "text": span.of(sentence.text),
                        "label": span.label,
                        "start": span.start,
                        "end": span.end,
                        "confidence": span.confidence,
                    }
                    for span in sentence.spans
                ]
            }
            for sentence in results
        ]


class Lattice(Annotating):
    """Finds the lexicon words that a model of entities sees."""

    name, task = "lattice", TAG
    request, answer = LatticeRequest, LatticeAnswer

    @staticmethod
    def work(tagger: Segmenter | EntityTagger) -> Work:
        """What finds the words."""
        assert isinstance(tagger, EntityTagger)
        return Seeing(tagger)

    @staticmethod
    def found(results: Sequence[Sentence]) -> list[dict[str, Any]]:
        """The words of each text."""
        return [
            {
                "words": [
                    {"text": span.of(sentence.text), "start": span.start, "end": span.end}
                    for span in sentence.spans
                ]
            }
            for sentence in results
        ]


@dataclass(frozen=True)
class Seeing:
    """Finds the lexicon words that a tagger sees; equal to another of it, so that they are done
    together.

    Attributes:
        tagger: the tagger.
    """

    tagger: EntityTagger

    def __call__(self, texts: Sequence[str]) -> list[Sentence]:
        """Find the words of each text.

        Raises:
            RefusedError: 422; the tagger sees none.
        """
        try:
            return seen_words(self.tagger, texts)
        except FenjieError as error:
            raise RefusedError(422, f"model: {error}") from error
