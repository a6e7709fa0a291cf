"""Attention over HTTP is that of `fenjie explain`, of models with weights alone."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.model_files import WEIGHTS
from fenjie.serve.app import Service
from fenjie.serve.attention_request import Attend
from fenjie.serve.limits import Limits, RefusedError
from fenjie.serve.messages import AttentionRequest
from fenjie.serve.taggers import Model, Models
from fenjie.views.views import attention_of

TEXT = "商品和服务"


def test_the_weights_of_a_sentence(client: TestClient, tiny_ner: Path) -> None:
    answer = client.post("/v1/attention", json={"text": TEXT}).json()
    expected = attention_of(ModelFolder.open(tiny_ner), TEXT)
    assert answer["model"] == "tiny-ner"
    assert answer["names"] == [*TEXT, "商品", "和服", "服务"] == expected.names
    (layer,), (truth,) = answer["layers"], expected.layers
    assert layer[1][4] == pytest.approx(truth[1][4], abs=1e-4)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"text": "a\nb"}, "text: the text has several lines"),
        ({"text": " "}, "text: there is nothing to show"),
        ({"text": "商" * 301}, "text: the text has 301 characters"),
        ({"text": [TEXT]}, "text: expected a string"),
        ({"text": TEXT, "model": "tiny"}, "model: no such model"),
        ({"text": TEXT, "words": []}, "unknown key 'words'; expected text, model"),
    ],
)
def test_what_is_refused(client: TestClient, body: dict[str, object], message: str) -> None:
    answer = client.post("/v1/attention", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(message)


def test_a_model_without_weights(tiny_ner: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    shutil.copytree(tiny_ner, folder, ignore=shutil.ignore_patterns(WEIGHTS))
    seal(folder)
    service = Service(Models([Model.load(str(folder))]), Limits())
    with TestClient(service) as client:
        assert client.get("/v1/models").json()["models"][0]["attention"] is False
        answer = client.post("/v1/attention", json={"text": TEXT})
        assert answer.status_code == 422 and "keeps no weights" in answer.json()["error"]
        assert str(tmp_path) not in answer.text


def test_many_at_once_are_refused(connect: Callable[..., TestClient]) -> None:
    client = connect()
    operation = client.app._operations["/v1/attention"]  # type: ignore[attr-defined]
    operation._waiting = 4
    assert client.post("/v1/attention", json={"text": TEXT}).status_code == 429
    operation._waiting = 0
    assert client.post("/v1/attention", json={"text": TEXT}).status_code == 200


def test_nobody_waits_for_others_without_end(models: Models) -> None:
    async def main() -> None:
        attend = Attend(models, Limits(seconds=0.1))
        request = AttentionRequest(text=TEXT)
        async with attend._turn:
            with pytest.raises(RefusedError, match=r"waited for more than 0\.1 s") as caught:
                await attend(request)
        assert caught.value.status == 503
        assert await attend(request)

    asyncio.run(main())
