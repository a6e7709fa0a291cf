"""The service: what it answers, whom it answers, and what it keeps to itself."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from fenjie.serve.limits import Limits
from fenjie.serve.taggers import Models

MakeClient = Callable[..., TestClient]
TEXT = "商品和服务"
LABELS = ["LOC", "ORG", "PER"]
MODEL = {"attention": False, "labels": [], "lattice": False, "standards": []}


def test_pages(client: TestClient) -> None:
    found = client.get("/v1/models").json()
    assert found["models"] == [
        {**MODEL, "name": "tiny", "task": "segment"},
        {
            **MODEL,
            "name": "tiny-ner",
            "task": "ner",
            "labels": LABELS,
            "lattice": True,
            "attention": True,
        },
    ]
    assert client.get("/healthz").json() == client.get("/readyz").json() == {"status": "ok"}
    client.post("/v1/tag", json={"text": TEXT})
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert 'fenjie_requests_total{operation="tag",status="200"} 1.0' in answer.text
    assert 'fenjie_texts_total{model="tiny-ner"} 1.0' in answer.text
    assert "fenjie_batch_texts_sum 1.0" in answer.text


def test_the_schema_describes_the_operations(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    assert sorted(schema["paths"]) == [
        "/healthz", "/metrics", "/readyz", "/v1/attention", "/v1/lattice", "/v1/models",
        "/v1/segment", "/v1/tag", "/v1/train",
    ]  # fmt: skip
    operation = schema["paths"]["/v1/tag"]["post"]
    assert sorted(operation["responses"]) == [
        "200",
        "401",
        "408",
        "413",
        "415",
        "422",
        "429",
        "503",
    ]
    request = schema["components"]["schemas"]["TagRequest"]
    assert request["additionalProperties"] is False
    assert request["properties"]["text"]["examples"]
    for example in request["properties"]["text"]["examples"]:
        assert client.post("/v1/tag", json={"text": example}).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/", 405), ("GET", "/v1/tag/", 404), ("GET", "/docs", 404),
        ("GET", "/v1/tag", 405), ("DELETE", "/healthz", 405), ("POST", "/v1/../etc/passwd", 404),
    ],
)  # fmt: skip
def test_what_is_not_there(client: TestClient, method: str, path: str, status: int) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]


def test_head_is_answered_as_get_is(client: TestClient) -> None:
    for path in ("/", "/healthz", "/v1/models", "/nope", "/v1/tag"):
        head, got = client.head(path), client.get(path)
        assert head.status_code == got.status_code
        assert head.headers["content-type"] == got.headers["content-type"]
        assert head.headers["content-length"] == got.headers["content-length"]


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/", "GET, HEAD"), ("/page/page.js", "GET, HEAD"), ("/healthz", "GET, HEAD"),
        ("/openapi.json", "GET, HEAD"), ("/v1/tag", "POST"),
        ("/v1/train", "DELETE, GET, HEAD, POST"),
    ],
)  # fmt: skip
def test_the_methods_that_are_allowed_are_named(
    client: TestClient, path: str, methods: str
) -> None:
    answer = client.put(path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == methods


@pytest.mark.parametrize(
    ("limits", "body", "status", "message"),
    [
        (Limits(characters=4), {"text": TEXT}, 413, "the request has 5 characters"),
        (Limits(characters=4), {"text": TEXT * 5000}, 413, "the body is larger than"),
        (Limits(texts=1), {"text": ["", ""]}, 422, "the request has 2 texts; at most 1"),
        (Limits(), {"text": TEXT, "model": "no"}, 422, "model: no such model"),
        (Limits(), {"text": TEXT, "words": ["a b"]}, 422, "words: a user word cannot hold"),
        (Limits(), {"texts": TEXT}, 422, "unknown key 'texts'|text is missing"),
    ],
)
def test_refused_requests(
    connect: MakeClient, limits: Limits, body: dict[str, Any], status: int, message: str
) -> None:
    answer = connect(limits).post("/v1/segment", json=body)
    assert answer.status_code == status
    (error,) = answer.json().values()
    assert any(error.startswith(start) for start in message.split("|"))


def test_other_sites_may_not_ask(client: TestClient) -> None:
    origin = {"origin": "https://example.com", "access-control-request-method": "POST"}
    for answer in (
        client.options("/v1/tag", headers=origin),
        client.post("/v1/tag", json={"text": TEXT}, headers=origin),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control")]
    plain = {"content-type": "text/plain"}
    assert client.post("/v1/tag", content='{"text": ""}', headers=plain).status_code == 415


def broken(texts: list[str]) -> list[Any]:
    raise RuntimeError(f"/secret/path {texts}")


def test_errors_of_the_service_say_nothing(
    connect: MakeClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = connect()
    monkeypatch.setattr("fenjie.serve.operations.Batchers.submit", lambda *_, **__: broken([TEXT]))
    answer = client.post("/v1/tag", json={"text": TEXT})
    assert (answer.status_code, answer.json()) == (500, {"error": "the service has made an error"})
    assert "RuntimeError" in caplog.text and "in broken" in caplog.text
    assert TEXT not in caplog.text
    for other in (answer, client.get("/nope"), client.get("/healthz")):
        assert "server" not in other.headers


def test_errors_where_fastapi_answers_are_told_once(
    connect: MakeClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = connect()
    monkeypatch.setattr("fenjie.serve.metrics.Metrics.text", lambda _: broken([TEXT]))
    answer = client.get("/metrics")
    assert (answer.status_code, answer.json()) == (500, {"error": "the service has made an error"})
    assert len([one for one in caplog.records if one.levelno >= logging.ERROR]) == 1
    assert "RuntimeError" in caplog.text and TEXT not in caplog.text
    monkeypatch.undo()
    assert (
        'fenjie_requests_total{operation="other",status="500"} 1.0' in client.get("/metrics").text
    )


@pytest.mark.parametrize("log", ["errors", "requests", "texts"])
def test_logs_have_no_texts_unless_asked(
    connect: MakeClient, caplog: pytest.LogCaptureFixture, log: str
) -> None:
    caplog.set_level(logging.INFO, "fenjie.serve")
    client = connect(log=log)
    client.post("/v1/tag", json={"text": TEXT})
    client.post("/v1/tag", json={"text": TEXT, "model": "no"})
    client.get("/healthz?text=a")
    lines = [one.getMessage() for one in caplog.records if one.name == "fenjie.serve"]
    assert len(lines) == (0 if log == "errors" else 3)
    assert any(TEXT in line for line in lines) == (log == "texts")
    if lines:
        assert lines[0].startswith("POST tag 200 ") and " 1 texts 5 characters" in lines[0]
        assert lines[1].startswith("POST tag 422 ") and lines[2].startswith("GET other 200 ")


def test_a_stopped_service_is_not_ready(models: Models, connect: MakeClient) -> None:
    client = connect()
    client.app.batchers._usual._open = False  # type: ignore[attr-defined]
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200
    answer = client.post("/v1/tag", json={"text": TEXT})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
