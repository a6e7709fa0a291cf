"""Label Studio: the service proposes entities to who labels, as an "ML backend" does.

Label Studio asks under the address that it is given, here `http://HOST:PORT/label-studio`:

- `GET /health`: whether the service lives.
- `POST /setup`: what labels the project has; the answer names the version of the model.
- `POST /predict`: the annotations of some tasks.
- `POST /webhook`: what happens to the project; nothing is done.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar
from xml.etree import ElementTree

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fenjie.errors import FenjieError
from fenjie.serve.app import Service
from fenjie.serve.limits import RefusedError
from fenjie.serve.messages import ErrorAnswer
from fenjie.serve.taggers import TAG, Model, Models
from fenjie.serve.wire import Body, Receive, Scope, Send, has_rest, headers_of, read_body
from fenjie.text.span import Sentence

Answer = Callable[[Request], Awaitable[Response]]

ROOT = "/label-studio"
"""What the paths begin with that Label Studio asks for."""


class Interface(NamedTuple):
    """What the labelling interface of a project has for entities.

    Attributes:
        from_name: the name of its labels.
        to_name: the name of its text.
        column: the field of a task that holds the text.
        labels: the project's labels by those of the model.
    """

    from_name: str
    to_name: str
    column: str
    labels: Mapping[str, str]

    @classmethod
    def read(cls, config: str, known: Sequence[str]) -> Interface:
        """Read the labelling interface.

        A label is that of the model whose name it has, whatever its case; `predicted_values` of a
        label names others, separated by commas: `<Label value="人名" predicted_values="PER"/>`.

        Args:
            config: the XML of the interface.
            known: the labels of the model.

        Raises:
            RefusedError: it is not XML, or labels no text with a label that the model knows.
        """
        try:
            root = ElementTree.fromstring(config)
        except ElementTree.ParseError as error:
            raise RefusedError(422, f"the labelling interface is not XML: {error}") from error
        columns = {one.get("name"): one.get("value", "") for one in root.iter("Text")}
        names = {label.casefold(): label for label in known}
        for element in root.iter("Labels"):
            column = columns.get(element.get("toName"), "")
            labels = {
                names[name.strip().casefold()]: label.get("value", "")
                for label in element.iter("Label")
                for name in label.get("predicted_values", label.get("value", "")).split(",")
                if name.strip().casefold() in names
            }
            if column.startswith("$") and labels:
                name, to = element.get("name", ""), element.get("toName", "")
                return cls(name, to, column[1:], labels)
        raise RefusedError(
            422,
            f"the labelling interface has no <Labels> of a <Text> with one of {', '.join(known)}; "
            'predicted_values="…" of a <Label> names those of the model that it stands for',
        )

    def result(self, sentence: Sentence) -> dict[str, Any]:
        """The entities of a text for Label Studio; their score is that of the least sure one."""
        found = [span for span in sentence.spans if span.label in self.labels]
        regions = [
            {
                "from_name": self.from_name,
                "to_name": self.to_name,
                "type": "labels",
                "value": {
                    "start": span.start,
                    "end": span.end,
                    "text": span.of(sentence.text),
                    "labels": [self.labels[span.label]],
                },
                "score": span.confidence,
            }
            for span in found
        ]
        scores = [span.confidence for span in found if span.confidence is not None]
        return {"result": regions, "score": min(scores, default=1.0)}


class _Body(BaseModel):
    model_config = ConfigDict(strict=True)  # whatever else Label Studio sends is passed over


Form = TypeVar("Form", bound=_Body)


class _Setup(_Body):
    label_config: Annotated[str, Field(alias="schema")] = ""


class _Task(_Body):
    data: dict[str, Any]


class _Predict(_Body):
    tasks: Annotated[list[_Task], Field(fail_fast=True)]  # the first error alone is told
    label_config: str


class LabelStudioService(Service):
    """The service, with what Label Studio asks for.

    Label Studio cannot send a bearer token; the password of its "basic authentication" is one,
    whatever the user's name.
    """

    def add_answers(self, models: Models) -> None:
        """Add what Label Studio asks for, too.

        Args:
            models: the models that the service has; the first one of entities proposes.

        Raises:
            FenjieError: there is no model of entities.
        """
        super().add_answers(models)
        taggers = [model for model in models if model.task == TAG]
        if not taggers:
            raise FenjieError("Label Studio needs a model of entities; none is served")
        self._add(taggers[0])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and scope["path"].startswith(f"{ROOT}/"):
            scope = {**scope, "headers": [_as_bearer(*header) for header in scope["headers"]]}
        await super().__call__(scope, receive, send)

    def _add(self, model: Model) -> None:
        version = f"{model.name}-{model.tagger.folder.fingerprint[:8]}"

        async def health(_: Request) -> Response:
            return JSONResponse({"status": "UP", "model_class": "fenjie"})

        async def setup(request: Request) -> Response:
            config = (await self._read(request, _Setup)).label_config
            if config:
                Interface.read(config, model.labels)
            return JSONResponse({"model_version": version})

        async def predict(request: Request) -> Response:
            body = await self._read(request, _Predict)
            interface = Interface.read(body.label_config, model.labels)
            texts = [_text(task.data, interface.column) for task in body.tasks]
            self.limits.check(len(texts), sum(map(len, texts)))
            sentences = await self.batchers.submit(texts, model.tagger)
            self.metrics.annotated(model.name, len(texts), sum(map(len, texts)))
            results = [
                {**interface.result(sentence), "model_version": version} for sentence in sentences
            ]
            return JSONResponse({"results": results, "model_version": version})

        async def webhook(_: Request) -> Response:
            return JSONResponse({"status": "nothing is done"})

        self.add_route(f"{ROOT}/", health, ["GET"], include_in_schema=False)
        self.add_route(f"{ROOT}/health", health, ["GET"], include_in_schema=False)
        self.add_route(f"{ROOT}/setup", _refusing(setup), ["POST"], include_in_schema=False)
        self.add_route(f"{ROOT}/predict", _refusing(predict), ["POST"], include_in_schema=False)
        self.add_route(f"{ROOT}/webhook", webhook, ["POST"], include_in_schema=False)

    async def _read(self, request: Request, kind: type[Form]) -> Form:
        """The body of a request.

        Raises:
            RefusedError: it is too large or too slow, or not of this form.
        """
        arriving = Body(request.receive)
        try:
            body = await read_body(request.scope, arriving, self.limits)
        except RefusedError as error:
            if has_rest(error.status):
                await arriving.drain(request.scope["headers"], self.limits.seconds)
            raise
        try:
            return kind.model_validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "the body"
        raise RefusedError(422, f"{place}: {first['msg']}")


def _refusing(answer: Answer) -> Answer:
    """Let refusals of an answer be answers too."""

    async def answered(request: Request) -> Response:
        try:
            return await answer(request)
        except RefusedError as error:
            body = ErrorAnswer(error=error.message).model_dump()
            more = {name.decode(): value.decode() for name, value in headers_of(error.status)}
            return JSONResponse(body, error.status, more)

    return answered


def _text(data: Mapping[str, Any], column: str) -> str:
    """The text of a task.

    Raises:
        RefusedError: it has none.
    """
    text = data.get(column)
    if not isinstance(text, str):
        raise RefusedError(422, f"a task has no text under {column!r}")
    return text


def _as_bearer(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """A header; the password of basic authentication as a bearer token."""
    kind, _, given = value.partition(b" ")
    if name != b"authorization" or kind.lower() != b"basic":
        return name, value
    try:
        password = base64.b64decode(given.strip(), validate=True).partition(b":")[2]
    except binascii.Error:
        return name, value
    return name, b"Bearer " + password
