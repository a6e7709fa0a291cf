"""Requests to train: who may, what they hold, what is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from starlette.testclient import TestClient

from fenjie.serve.limits import Limits
from fenjie.serve.taggers import Models
from fenjie.serve.trainer import Trainer
from fenjie.serve.training_request import Train
from fenjie.text.span import Sentence, Span

MakeClient = Callable[..., TestClient]
LOCAL = {"host": "localhost:8000"}
BODY: dict[str, Any] = {
    "name": "mine",
    "sentences": [{"text": "王小明", "spans": [[0, 3, "PER"]]}],
}


@pytest.fixture
def trainer(tmp_path: Path, models: Models, monkeypatch: pytest.MonkeyPatch) -> Trainer:
    """A trainer that only notes what it is told."""
    made = Trainer(tmp_path / "models", models)
    told: list[Any] = []
    monkeypatch.setattr(made, "start", lambda *given: told.append(given))
    monkeypatch.setattr(made, "told", told, raising=False)
    return made


def test_sentences_arrive(connect: MakeClient, trainer: Trainer) -> None:
    client = connect(trainer=trainer)
    answer = client.post("/v1/train", json=BODY | {"start": "tiny-ner"}, headers=LOCAL)
    expected = {"available": True, "reason": None, "starts": ["tiny-ner"], "run": None}
    assert (answer.status_code, answer.json()) == (200, expected)
    (told,) = trainer.told  # type: ignore[attr-defined]
    assert told == ("mine", [Sentence("王小明", (Span(0, 3, "PER"),))], "tiny-ner")
    assert client.get("/v1/train", headers=LOCAL).json() == expected
    assert client.delete("/v1/train", headers=LOCAL).json() == expected


def test_who_waits_for_the_end_of_a_run_keeps_nobody_else_waiting(
    trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = Event()
    monkeypatch.setattr(trainer, "stop", lambda: ended.wait(60))

    async def main() -> None:
        train = Train(trainer, Limits())
        waiting = [asyncio.create_task(train.stop()) for _ in range(50)]
        await asyncio.sleep(0)
        assert await asyncio.wait_for(asyncio.to_thread(len, "ab"), 10) == 2
        ended.set()
        await asyncio.gather(*waiting)

    asyncio.run(main())


@pytest.mark.parametrize("headers", [LOCAL, {"host": "192.0.2.1:8000"}])
def test_a_service_that_does_not_train(client: TestClient, headers: dict[str, str]) -> None:
    state = client.get("/v1/train", headers=headers).json()
    assert state["available"] is False and "--train FOLDER" in state["reason"]
    answer = client.post("/v1/train", json=BODY, headers=headers)
    assert answer.status_code == 503 and "--train FOLDER" in answer.json()["error"]


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_other_names_of_this_machine_need_a_token(
    connect: MakeClient, trainer: Trainer, method: str
) -> None:
    body = BODY if method == "POST" else None
    client = connect(trainer=trainer)
    for host in (
        "evil.example",
        "localhost.evil.example:8000",
        "",
        "[::2]:80",
        "::1",
        "[localhost",
    ):
        answer = client.request(method, "/v1/train", json=body, headers={"host": host})
        assert answer.status_code == 403
    schema = client.get("/openapi.json").json()
    assert "403" in schema["paths"]["/v1/train"][method.lower()]["responses"]
    for host in ("127.0.0.1", "[::1]:8000", "[::1]", "localhost", "LOCALHOST:80", "127.0.0.2:8000"):
        answer = client.request(method, "/v1/train", json=body, headers={"host": host})
        assert answer.status_code == 200
    client = connect(trainer=trainer, token="secret")
    assert client.request(method, "/v1/train", json=body).status_code == 401
    bearer = {"authorization": "Bearer secret"}
    assert client.request(method, "/v1/train", json=body, headers=bearer).status_code == 200


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        ({"name": 1}, 422, "name: expected a string"),
        ({"sentences": {}}, 422, "sentences: expected a list of"),
        ({"sentences": [{"text": "a"}]}, 422, "sentences: expected a list of"),
        ({"sentences": [{"text": "a", "spans": [[0, 2, "X"]]}]}, 422, "sentences: number 1: span"),
        ({"sentences": [{"text": "a", "spans": [[0, 1, ""]]}]}, 422, "sentences: number 1: found"),
        ({"sentences": [{"text": "a", "spans": [[0, 1, "X Y"]]}]}, 422, "sentences: number 1: a l"),
        ({"sentences": [{"text": "a", "spans": [[0, 1, "W"]]}]}, 422, "sentences: number 1: the l"),
        ({"sentences": [{"text": "ab", "spans": [[0, 2, "X"], [1, 2, "X"]]}]}, 422, "sentences"),
        ({"sentences": [{"text": "a" * 11, "spans": []}]}, 413, "the request has 11 characters"),
        ({"sentences": [{"text": "", "spans": []}] * 3}, 422, "the request has 3 texts"),
        ({"steps": 1}, 422, "unknown key 'steps'; expected name, sentences, start"),
    ],
)
def test_what_is_refused(
    connect: MakeClient, trainer: Trainer, change: dict[str, Any], status: int, message: str
) -> None:
    client = connect(Limits(characters=10, texts=2), trainer=trainer)
    answer = client.post("/v1/train", json=BODY | change, headers=LOCAL)
    assert answer.status_code == status
    assert answer.json()["error"].startswith(message)
