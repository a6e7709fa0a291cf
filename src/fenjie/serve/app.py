"""The service as an ASGI application."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any, Literal, TypeVar, cast

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Match, Route

from fenjie.serve.access import Access
from fenjie.serve.assets import add_page
from fenjie.serve.attention_request import Attend
from fenjie.serve.batchers import Batchers
from fenjie.serve.limits import Limits, RefusedError
from fenjie.serve.messages import ErrorAnswer, ModelFound, ModelsAnswer, TrainingAnswer
from fenjie.serve.metrics import CONTENT_TYPE, Metrics
from fenjie.serve.operations import Annotating, Lattice, Operation, Segment, Tag
from fenjie.serve.taggers import Models
from fenjie.serve.trainer import Trainer
from fenjie.serve.training_request import Train
from fenjie.serve.wire import (
    CLOSED,
    HEADERS,
    Body,
    Receive,
    Scope,
    Send,
    has_rest,
    read_body,
    send_json,
)

Log = Literal["errors", "requests", "texts"]
"""What is logged: errors alone, a line per request too, or their texts too."""

FAILED = b'{"error":"the service has made an error"}'
"""The answer where the service itself is at fault."""

REFUSALS = {
    401: "The token is missing or wrong.",
    408: "The body took too long to arrive.",
    413: "The body or the texts are too large.",
    415: "The body is not declared as JSON, or is compressed.",
    422: "The body is not of this form, or has too many texts.",
    429: "Too many requests are waiting.",
    503: "The request waited too long, or the service is stopping.",
}

Found = TypeVar("Found")

logger = logging.getLogger("fenjie.serve")


class Service(FastAPI):
    """The service.

    Requests for operations on texts take a short way: FastAPI describes them, but its layers, which
    take a quarter of the time of a short text, are passed over. Served by `fenjie.serve.protocol`,
    those for annotations mostly pass ASGI over, too.

    Attributes:
        limits: how much it takes on.
        access: who may ask.
        batchers: where requests for annotations wait for their turn.
        metrics: what has been served so far.
        annotating: the operations that annotate texts, by their paths.
    """

    def __init__(
        self,
        models: Models,
        limits: Limits,
        token: str | None = None,
        log: Log = "errors",
        trainer: Trainer | None = None,
    ) -> None:
        """Make the service.

        Args:
            models: the models that it has.
            limits: how much it takes on.
            token: the bearer token that requests must have; None where all are served.
            log: what is logged.
            trainer: trains models; None where the service does not.
        """
        super().__init__(
            title="fenjie",
            version="1",
            description="Words and named entities of Chinese text. Offsets count code points.",
            docs_url=None,  # their scripts come from the network
            redoc_url=None,
            lifespan=_lifespan,
            redirect_slashes=False,
            exception_handlers={HTTPException: _refused, Exception: _failed},
        )
        self.limits, self.log = limits, log
        self.batchers = Batchers(limits, lambda texts: self.metrics.batch(texts))
        self.metrics = Metrics(lambda: len(self.batchers))
        parts = models, self.batchers, limits, self.metrics
        self._operations: dict[str, Operation] = {}
        self.train = Train(trainer, limits)
        self.access = Access(token, trains=self.train.trains)
        for operation in (
            Segment(*parts),
            Tag(*parts),
            Lattice(*parts),
            Attend(models, limits),
            self.train,
        ):
            self._operations[f"/v1/{operation.name}"] = operation
            _add_operation(self, operation)
        self.annotating = {
            path.encode(): operation
            for path, operation in self._operations.items()
            if isinstance(operation, Annotating)
        }
        self.add_answers(models)
        add_page(self)

    def add_answers(self, models: Models) -> None:
        """Add all that is not an operation on texts.

        Args:
            models: the models that the service has.
        """
        _add_answers(self, models)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        started, body = perf_counter(), Body(receive)
        operation = self._operations.get(scope["path"]) if scope["method"] == "POST" else None
        texts: list[str] | None = None
        try:
            self.access.check(scope["path"], scope["headers"])
            if operation is None:
                status = await _finished(self._by_fastapi(scope, receive, send))
            else:
                request = operation.read(await read_body(scope, body, self.limits))
                texts = request.texts
                status, answer = 200, await _finished(operation(request))
                await send_json(send, status, answer)
        except Exception as error:
            status, answer = self.refusal(error)
            if has_rest(status):
                await body.drain(scope["headers"], self.limits.seconds)
            if status != CLOSED:
                await send_json(send, status, answer)
        name = "other" if operation is None else operation.name
        self.answered(scope["method"], name, status, started, texts)

    def refusal(self, error: Exception) -> tuple[int, bytes]:
        """The status code and the body of the answer to a request that failed."""
        if isinstance(error, RefusedError):
            return error.status, to_json({"error": error.message})
        self._report(error)
        return 500, FAILED

    def answered(
        self, method: str, name: str, status: int, started: float, texts: list[str] | None
    ) -> None:
        """Count a request, and log it where that is wanted.

        Args:
            method: its method.
            name: the name of its operation.
            status: the status code of the answer.
            started: when it came, by `perf_counter`.
            texts: its texts; None where they were not read.
        """
        seconds = perf_counter() - started
        self.metrics.request(name, status, seconds)
        if self.log != "errors":
            size = "" if texts is None else self._described(texts)
            logger.info("%s %s %d %.1f ms%s", method, name, status, seconds * 1000, size)

    async def _by_fastapi(self, scope: Scope, receive: Receive, send: Send) -> int:
        """Answer a request by FastAPI; the status code of the answer.

        HEAD is answered as GET is; the server leaves the body out.
        """
        status = 0  # not answered yet
        asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope

        async def watched(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        try:
            await super().__call__(asked, receive, watched)
        except Exception as error:
            if not status:
                raise
            self._report(error)  # Starlette raises again what it has answered
        return status

    def _described(self, texts: list[str]) -> str:
        size = f" {len(texts)} texts {sum(map(len, texts))} characters"
        return f"{size} {texts!r}" if self.log == "texts" else size

    def _report(self, error: Exception) -> None:
        """Log an error of the service; its message, which may hold texts, only where asked for."""
        trace = "".join(traceback.format_tb(error.__traceback__))
        message = f": {error}" if self.log == "texts" else ""
        logger.error("%s%s\n%s", type(error).__name__, message, trace)


async def _finished(work: Awaitable[Found]) -> Found:
    """What work comes to, though uvicorn gives up on a request that takes long at a stop.

    The service waits for the batchers then, which finish all that they have accepted.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    batchers = cast(Service, app).batchers
    batchers.start()
    yield
    await cast(Service, app).train.stop()
    await batchers.stop()


async def _refused(request: Request, error: Exception) -> Response:
    """Say why FastAPI has no answer, in the form of all errors."""
    assert isinstance(error, HTTPException)
    messages = {404: "there is nothing here", 405: "this method is not allowed here"}
    message = messages.get(error.status_code, error.detail)
    headers = {"allow": _allowed(request)} if error.status_code == 405 else error.headers
    return JSONResponse({"error": message}, error.status_code, headers)


def _allowed(request: Request) -> str:
    """The methods of all routes of a path. Starlette names those of the first, and no HEAD."""
    routes = (route for route in request.app.routes if isinstance(route, Route))
    found = (one.methods or () for one in routes if one.matches(request.scope)[0] != Match.NONE)
    methods = {method for some in found for method in some}
    return ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))


async def _failed(_: Any, __: Exception) -> Response:
    """Say no more than that the service is at fault, in the form of all errors."""
    return Response(FAILED, 500, media_type="application/json")


def _add_operation(app: FastAPI, operation: Operation) -> None:
    """Add the route of an operation: the schema describes it, the short way answers like it."""

    async def answered(body: Any) -> Response:
        return Response(await operation(body), media_type="application/json")

    answered.__annotations__["body"] = operation.request
    app.add_api_route(
        f"/v1/{operation.name}",
        answered,
        methods=["POST"],
        operation_id=operation.name,
        summary=operation.__doc__,
        response_model=operation.answer,
        responses=_errors({**REFUSALS, **operation.refusals}),
    )


def _errors(refusals: Mapping[int, str]) -> dict[int | str, dict[str, Any]]:
    """The answers of a route that are errors, for the schema."""
    return {
        status: {"model": ErrorAnswer, "description": text}
        for status, text in sorted(refusals.items())
    }


def _add_answers(app: Service, models: Models) -> None:
    """Add the models, the state of training, and what monitors ask for."""
    token = _errors({401: REFUSALS[401]})
    local = _errors({401: REFUSALS[401], 403: Train.refusals[403]})

    @app.get("/v1/models", operation_id="models", summary="The models.", responses=token)
    async def list_models() -> ModelsAnswer:
        return ModelsAnswer(
            models=[
                ModelFound(
                    name=one.name,
                    task=one.task,
                    labels=one.labels,
                    lattice=one.lattice,
                    standards=one.standards,
                    attention=one.attention,
                )
                for one in models
            ]
        )

    @app.get("/v1/train", operation_id="training", summary="The last run.", responses=local)
    async def training() -> TrainingAnswer:
        return app.train.state()

    @app.delete("/v1/train", operation_id="stop", summary="Ends the run.", responses=local)
    async def stop() -> TrainingAnswer:
        return await app.train.stop()

    @app.get("/healthz", operation_id="healthz", summary="Whether the process lives.")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @app.get(
        "/readyz",
        operation_id="readyz",
        summary="Whether requests are served.",
        responses=_errors({503: "The service is stopping."}),
    )
    async def readyz() -> Response:
        if app.batchers.open:
            return JSONResponse({"status": "ok"})
        return JSONResponse({"error": "the service is stopping"}, 503)

    @app.get(
        "/metrics",
        operation_id="metrics",
        summary="Counts, for Prometheus.",
        response_class=Response,
        responses=token,
    )
    async def metrics() -> Response:
        return Response(app.metrics.text(), media_type=CONTENT_TYPE)
