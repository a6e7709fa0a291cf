"""Limits: what is refused, and by which status code."""

from __future__ import annotations

import pytest

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
