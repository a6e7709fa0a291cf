"""What Label Studio asks of the service, in the form of its requests."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra `serve`")

from pydantic import ValidationError
from starlette.testclient import TestClient

from fenjie.errors import FenjieError
from fenjie.integrations.label_studio import ROOT, Interface, LabelStudioService, _Predict
from fenjie.serve.limits import Limits, RefusedError
from fenjie.serve.taggers import TAG, Models
from fenjie.text.span import Sentence, Span

CONFIG = (
    '<View><Header value="请标注"/><Labels name="label" toName="t">'
    '<Label value="人名" predicted_values="PER, person" background="red"/><Label value="org"/>'
    '<Label value="日期"/></Labels><Text name="t" value="$body"/></View>'
)
TEXT = "商品和服务，他说的确实在理"


@contextmanager
def connected(
    models: Models, limits: Limits | None = None, **settings: Any
) -> Iterator[TestClient]:
    service = LabelStudioService(models, limits or Limits(), **settings)
    with TestClient(service, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def client(models: Models) -> Iterator[TestClient]:
    with connected(models) as made:
        yield made


def tasks(*texts: object) -> list[dict[str, Any]]:
    """Tasks as Label Studio sends them, with much that is of no use here."""
    return [
        {"id": number, "data": {"body": text}, "annotations": [], "predictions": [], "meta": {}}
        for number, text in enumerate(texts)
    ]


def asked(*texts: object) -> dict[str, Any]:
    return {
        "tasks": tasks(*texts),
        "model_version": None,
        "project": "3.1700000000",
        "label_config": CONFIG,
        "params": {"login": None, "password": None, "context": None},
    }


def test_health_and_setup(client: TestClient) -> None:
    for path in ("/label-studio/", "/label-studio/health"):
        answer = client.get(path).json()
        assert answer == {"status": "UP", "model_class": "fenjie"}
    body = {"project": "3.17", "schema": CONFIG, "hostname": "http://x", "access_token": "s"}
    version = client.post("/label-studio/setup", json=body).json()["model_version"]
    assert version.startswith("tiny-ner-")
    assert client.post("/label-studio/setup", json={"project": "3.17"}).status_code == 200
    assert client.post("/label-studio/webhook", json={"action": "X"}).status_code == 200


def test_predictions(client: TestClient, models: Models) -> None:
    answer = client.post("/label-studio/predict", json=asked(TEXT, "", TEXT))
    assert answer.status_code == 200
    first, empty, last = answer.json()["results"]
    assert first == last and empty["result"] == [] and empty["score"] == 1.0
    sentence = models.find(TAG, None).tagger(TEXT)
    expected = [span for span in sentence.spans if span.label != "LOC"]
    assert [region["value"]["start"] for region in first["result"]] == [
        span.start for span in expected
    ]
    for region, span in zip(first["result"], expected, strict=True):
        assert (region["from_name"], region["to_name"], region["type"]) == ("label", "t", "labels")
        assert region["value"]["text"] == TEXT[span.start : span.end]
        assert region["value"]["labels"] == [{"PER": "人名", "ORG": "org"}[span.label]]


def test_regions_and_score() -> None:
    interface = Interface.read(CONFIG, ["PER", "ORG", "LOC"])
    spans = (Span(0, 2, "PER", 0.9), Span(2, 4, "LOC", 0.1), Span(4, 6, "ORG", 0.5))
    found = interface.result(Sentence("小明北京大学", spans))
    assert found["score"] == 0.5
    assert [(one["value"]["text"], one["value"]["labels"]) for one in found["result"]] == [
        ("小明", ["人名"]),
        ("大学", ["org"]),
    ]


@pytest.mark.parametrize(
    "config",
    [
        "<View>",
        "<View/>",
        '<View><Labels name="l" toName="t"><Label value="PER"/></Labels></View>',
        '<View><Labels name="l" toName="t"><Label value="DATE"/></Labels>'
        '<Text name="t" value="$text"/></View>',
    ],
)
def test_an_interface_without_our_labels_is_refused(config: str, client: TestClient) -> None:
    with pytest.raises(RefusedError, match="labelling interface"):
        Interface.read(config, ["PER"])
    answer = client.post("/label-studio/setup", json={"project": "1.1", "schema": config})
    assert answer.status_code == 422
    assert "labelling interface" in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "the body"),
        ({"tasks": []}, "label_config"),
        ({"tasks": [{}], "label_config": CONFIG}, "tasks.0.data"),
        ({"tasks": tasks(3), "label_config": CONFIG}, "a task has no text under 'body'"),
        ({"tasks": tasks("a" * 11), "label_config": CONFIG}, "at most 10"),
    ],
)
def test_bad_requests_are_refused_in_one_sentence(
    models: Models, body: object, message: str
) -> None:
    with connected(models, Limits(characters=10)) as client:
        answer = client.post("/label-studio/predict", json=body)
    assert answer.status_code in (413, 422)
    assert message in answer.json()["error"]


@pytest.mark.parametrize(
    ("limits", "status", "header"),
    [
        (Limits(characters=0, texts=0), 413, ("connection", "close")),
        (Limits(waiting=0), 429, ("retry-after", "1")),
    ],
)
def test_refusals_have_the_headers_of_the_service(
    models: Models, limits: Limits, status: int, header: tuple[str, str]
) -> None:
    body = asked(TEXT) | {"params": "a" * 1024}
    with connected(models, limits) as client:
        answer = client.post("/label-studio/predict", json=body)
    assert answer.status_code == status and header in answer.headers.items()
    assert len(answer.headers.get_list("content-type")) == 1


def test_of_many_wrong_tasks_only_the_first_is_an_error() -> None:
    body = {"label_config": CONFIG, "tasks": [0] * 100}
    with pytest.raises(ValidationError) as caught:
        _Predict.model_validate(body)
    assert caught.value.error_count() == 1


def test_a_request_that_has_begun_is_answered_though_it_is_cancelled(models: Models) -> None:
    """A stop of uvicorn cancels requests that take long."""
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps(asked(TEXT)).encode()}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def run() -> None:
        begun, go = asyncio.Event(), asyncio.Event()

        async def submit(*_: object) -> list[Sentence]:
            begun.set()
            await go.wait()
            return [Sentence(TEXT, ())]

        service = LabelStudioService(models, Limits())
        service.batchers.submit = submit  # type: ignore[method-assign, assignment]
        scope = {
            "type": "http", "method": "POST", "path": f"{ROOT}/predict", "query_string": b"",
            "headers": [(b"content-type", b"application/json")],
        }  # fmt: skip
        request = asyncio.create_task(service(scope, receive, send))
        await begun.wait()
        request.cancel()
        asyncio.get_running_loop().call_soon(go.set)
        await request

    asyncio.run(run())
    assert [one.get("status") for one in sent] == [200, None]
    (found,) = json.loads(sent[1]["body"])["results"]
    assert found["result"] == []


def test_the_token_comes_as_a_password(models: Models) -> None:
    with connected(models, token="secret") as client:
        for given, status in (("secret", 200), ("wrong", 401)):
            basic = base64.b64encode(f"anyone:{given}".encode()).decode()
            for headers in (
                {"Authorization": f"Basic {basic}"},
                {"Authorization": f"Bearer {given}"},
            ):
                assert client.get("/label-studio/health", headers=headers).status_code == status
        assert client.get("/label-studio/health").status_code == 401
        odd = {"Authorization": "Basic ???"}
        assert client.get("/label-studio/health", headers=odd).status_code == 401
        basic = base64.b64encode(b"anyone:secret").decode()
        outside = client.get("/v1/models", headers={"Authorization": f"Basic {basic}"})
        assert outside.status_code == 401


def test_the_rest_of_the_service_is_there(client: TestClient) -> None:
    assert client.post("/v1/tag", json={"text": TEXT}).status_code == 200
    paths = client.get("/openapi.json").json()["paths"]
    assert not [path for path in paths if path.startswith("/label-studio")]


def test_it_needs_a_model_of_entities(models: Models) -> None:
    words = Models([one for one in models if one.task != TAG])
    with pytest.raises(FenjieError, match="needs a model of entities"):
        LabelStudioService(words, Limits())
