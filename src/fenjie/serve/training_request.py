"""The operation that trains a model, and the answers about its run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from fenjie.corpus.lines import check_apart
from fenjie.errors import FenjieError
from fenjie.serve.limits import Limits, RefusedError
from fenjie.serve.messages import LabelledText, RunFound, TrainingAnswer, TrainRequest, read
from fenjie.serve.operations import Operation
from fenjie.serve.trainer import Trainer
from fenjie.text.span import WORD, Sentence, Span, holds_whitespace

NOT_TOLD = "the service was not told where to train: fenjie serve --train FOLDER"


class Train(Operation):
    """Trains a model of entities from labelled sentences; `GET` says how far it is."""

    name = "train"
    request, answer = TrainRequest, TrainingAnswer
    refusals: ClassVar[Mapping[int, str]] = {
        403: "Without a token, only this machine itself trains.",
        409: "Another model is being trained, or there is one of this name.",
    }

    def __init__(self, trainer: Trainer | None, limits: Limits) -> None:
        """Take what trains, None where the service does not, and the limits of a request."""
        self._trainer, self._limits = trainer, limits
        # A run may take long to end. Who waits for that takes no thread from other requests.
        self._thread = ThreadPoolExecutor(1, "fenjie-trainer")

    @property
    def trains(self) -> bool:
        """Whether the service was told where to train."""
        return self._trainer is not None

    def read(self, body: bytes) -> TrainRequest:
        """Read a request.

        Raises:
            RefusedError: it is not of the form of the operation, or too large.
        """
        request = read(TrainRequest, body)
        self._limits.check(len(request.texts), sum(map(len, request.texts)))
        return request

    async def __call__(self, request: TrainRequest) -> bytes:
        """Begin to train.

        Raises:
            RefusedError: the service does not train, or not this.
        """
        if self._trainer is None:
            raise RefusedError(503, NOT_TOLD)
        sentences = [_sentence(number, one) for number, one in enumerate(request.sentences, 1)]
        await self._in_thread(self._trainer.start, request.name, sentences, request.start)
        return self.state().model_dump_json().encode()

    def state(self) -> TrainingAnswer:
        """What can be trained here, and how far the last run is."""
        trainer = self._trainer
        if trainer is None or trainer.missing:
            reason = NOT_TOLD if trainer is None else trainer.missing
            return TrainingAnswer(available=False, reason=reason, starts=[], run=None)
        progress = trainer.progress
        run = None if progress is None else RunFound(**progress._asdict())
        return TrainingAnswer(available=True, reason=None, starts=trainer.starts, run=run)

    async def stop(self) -> TrainingAnswer:
        """End the run that is going, if there is one."""
        if self._trainer is not None:
            await self._in_thread(self._trainer.stop)
        return self.state()

    async def _in_thread(self, work: Callable[..., None], *given: Any) -> None:
        """Let the trainer do something, after all that it was told before."""
        await asyncio.get_running_loop().run_in_executor(self._thread, work, *given)


def _sentence(number: int, one: LabelledText) -> Sentence:
    try:
        spans = sorted(Span(start, end, label) for start, end, label in one.spans)
        sentence = Sentence(one.text, tuple(spans))
        check_apart(sentence)
        if any(holds_whitespace(span.label) for span in spans):
            raise FenjieError("a label holds whitespace")
        if any(span.label == WORD for span in spans):
            raise FenjieError(f"the label {WORD} is that of a word; expected one of an entity")
    except FenjieError as error:
        raise RefusedError(422, f"sentences: number {number}: {error}") from error
    return sentence
