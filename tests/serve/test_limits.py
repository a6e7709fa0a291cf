"""Limits: what is refused, and by which status code."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from fenjie.serve.limits import Limits, RefusedError


def test_requests_within_the_limits_pass() -> None:
    Limits(characters=10, texts=2).check(2, 10)


@pytest.mark.parametrize(
    ("texts", "characters", "status", "message"),
    [
        (2, 11, 413, "the request has 11 characters; at most 10 are allowed"),
        (3, 10, 422, "the request has 3 texts; at most 2 are allowed"),
    ],
)
def test_requests_beyond_them_are_refused(
    texts: int, characters: int, status: int, message: str
) -> None:
    with pytest.raises(RefusedError, match=message) as caught:
        Limits(characters=10, texts=2).check(texts, characters)
    assert caught.value.status == status


def test_a_body_of_escapes_is_not_too_large() -> None:
    assert Limits(characters=10).bytes > len('{"text": "' + r"\ud83d\ude00" * 10 + '"}')
    limits = Limits()
    texts = ["😀" * (limits.characters // limits.texts)] * limits.texts
    assert len(json.dumps({"text": texts})) <= limits.bytes


def test_many_words_with_settings_may_be_too_large(connect: Callable[..., TestClient]) -> None:
    settings = {"label": "PER", "weight": 1000, "force": False}
    words = {chr(0x4E00 + number // 200) + chr(0x4E00 + number % 200): settings
             for number in range(40_000)}  # fmt: skip
    limits = Limits()
    limits.check(1, 2 + 2 * len(words))
    answer = connect(limits).post("/v1/tag", json={"text": "你好", "words": words})
    assert answer.status_code == 413
    assert answer.json() == {"error": f"the body is larger than {limits.bytes} bytes"}
