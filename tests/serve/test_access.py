"""Who may ask: the token, and this machine alone for training without one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from fenjie.serve.access import Access
from fenjie.serve.limits import RefusedError

MakeClient = Callable[..., TestClient]
TEXT = "商品和服务"


def test_a_token_is_needed_for_all_but_health(connect: MakeClient) -> None:
    client = connect(token="secret")
    for given in (None, "secret", "Bearer wrong", "Basic secret", "Bearer secret2", "Bearer"):
        headers = {} if given is None else {"authorization": given}
        for path in ("/v1/models", "/metrics", "/openapi.json", "/nope"):
            answer = client.get(path, headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
        assert client.post("/v1/tag", json={"text": ""}, headers=headers).status_code == 401
    assert client.get("/healthz").status_code == client.get("/readyz").status_code == 200
    client.headers["authorization"] = "Bearer secret"
    assert client.get("/v1/models").status_code == 200
    assert client.post("/v1/tag", json={"text": TEXT}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/page/js/main.js"])
def test_public_paths_need_no_token(path: str) -> None:
    Access("secret", trains=True).check(path, [])


def test_without_a_token_training_alone_asks_for_this_machine() -> None:
    other = [(b"host", b"evil.example")]
    Access(None, trains=False).check("/v1/train", other)
    access = Access(None, trains=True)
    access.check("/v1/tag", other)
    access.check("/v1/train", [(b"host", b"localhost:8000")])
    with pytest.raises(RefusedError) as refused:
        access.check("/v1/train", other)
    assert refused.value.status == 403
