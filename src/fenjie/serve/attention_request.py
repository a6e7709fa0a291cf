"""The operation that shows the attention of a model with its weights."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import ClassVar

from pydantic_core import to_json

from fenjie.errors import FenjieError, FileError
from fenjie.serve.limits import Limits, RefusedError
from fenjie.serve.messages import AttentionAnswer, AttentionRequest, read
from fenjie.serve.operations import Operation
from fenjie.serve.taggers import TAG, Model, Models
from fenjie.views.views import Attention, Observer

DIGITS = 4
"""Decimal places of a weight."""

WAITING = 4
"""Most requests that wait: PyTorch answers one after the other, apart from all other requests."""


class Attend(Operation):
    """Gives the attention of a model of entities that keeps its weights."""

    name = "attention"
    request, answer = AttentionRequest, AttentionAnswer
    refusals: ClassVar[Mapping[int, str]] = {}

    def __init__(self, models: Models, limits: Limits) -> None:
        """Take the models; none is loaded before it is asked for."""
        self._models, self._limits = models, limits
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._loaded: tuple[Model, Observer] | None = None

    def read(self, body: bytes) -> AttentionRequest:
        """Read a request.

        Raises:
            RefusedError: it is not of the form of the operation, or too large.
        """
        request = read(AttentionRequest, body)
        self._limits.check(1, len(request.text))
        return request

    async def __call__(self, request: AttentionRequest) -> bytes:
        """Answer a request.

        Raises:
            RefusedError: the model keeps no weights, the text is not one sentence, or too many
                others wait or for too long.
        """
        model = self._models.find(TAG, request.model)
        if not model.attention:
            raise RefusedError(422, f"model: {model.name} keeps no weights, or torch is missing")
        if self._waiting >= WAITING:
            raise RefusedError(429, f"{WAITING} requests are waiting already; try again later")
        self._waiting += 1
        try:
            found = await self._in_turn(model, request.text)
        finally:
            self._waiting -= 1
        return to_json({"model": model.name, "names": found.names, "layers": _rounded(found)})

    async def _in_turn(self, model: Model, text: str) -> Attention:
        seconds = self._limits.seconds
        try:
            async with asyncio.timeout(seconds):
                await self._turn.acquire()
        except TimeoutError as error:
            raise RefusedError(503, f"the request waited for more than {seconds:g} s") from error
        try:
            return await asyncio.to_thread(self._observe, model, text)
        finally:
            self._turn.release()

    def _observe(self, model: Model, text: str) -> Attention:
        try:
            if self._loaded is None or self._loaded[0] is not model:
                self._loaded = model, Observer(model.tagger.folder)
            return self._loaded[1](text)
        except FileError as error:  # its message has a path
            raise RefusedError(422, f"model: {model.name} cannot be looked at") from error
        except FenjieError as error:
            raise RefusedError(422, f"text: {error}") from error


def _rounded(found: Attention) -> list[list[list[list[float]]]]:
    return [
        [[[round(weight, DIGITS) for weight in row] for row in head] for head in layer]
        for layer in found.layers
    ]
