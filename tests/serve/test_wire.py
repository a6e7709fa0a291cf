"""Bodies as they come in ASGI: whole, in parts, too large, too slow, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from fenjie.serve.limits import Limits, RefusedError
from fenjie.serve.wire import CLOSED, DRAINED, Body, read_body, send_json

LIMITS = Limits(characters=10, texts=1, seconds=0.1)
JSON = (b"content-type", b"Application/JSON; charset=utf-8")


def body(*messages: dict[str, Any], headers: tuple[tuple[bytes, bytes], ...] = (JSON,)) -> bytes:
    rest = iter(messages)

    async def receive() -> MutableMapping[str, Any]:
        for message in rest:
            return {"type": "http.request", **message}
        await asyncio.sleep(60)
        raise AssertionError

    return asyncio.run(read_body({"headers": list(headers)}, Body(receive), LIMITS))


def test_bodies() -> None:
    assert body({"body": b"{}"}) == b"{}"
    assert body({"body": b"{", "more_body": True}, {"body": b"}"}) == b"{}"
    assert body({}) == b""


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ((), 415),
        (((b"content-type", b"text/plain"),), 415),
        ((JSON, (b"content-encoding", b"gzip")), 415),
        ((JSON, (b"content-length", b"99999999999")), 413),
    ],
)
def test_refused_by_their_headers(headers: tuple[tuple[bytes, bytes], ...], status: int) -> None:
    with pytest.raises(RefusedError) as caught:
        body({"body": b"{}"}, headers=headers)
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        ([{"body": b" " * 600, "more_body": True}] * 3, 413),
        ([{"body": b"{", "more_body": True}], 408),
        ([], 408),
        ([{"body": b"{", "more_body": True}, {"type": "http.disconnect"}], CLOSED),
    ],
)
def test_bodies_that_do_not_come(messages: list[dict[str, Any]], status: int) -> None:
    with pytest.raises(RefusedError) as caught:
        body(*messages)
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("headers", "parts", "taken"),
    [
        ({}, 3, 3),
        ({b"content-length": b"3"}, 3, 3),
        ({b"content-length": b"%d" % (DRAINED + 1)}, 3, 0),
        ({b"expect": b"100-continue"}, 3, 0),
        ({}, 100, 16),
    ],
)
def test_the_rest_of_a_refused_body_is_read(
    headers: dict[bytes, bytes], parts: int, taken: int
) -> None:
    given = [{"body": bytes(DRAINED // 16), "more_body": True}] * (parts - 1) + [{"body": b""}]
    rest = iter(given)

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", **next(rest)}

    asyncio.run(Body(receive).drain(headers.items(), 60))
    assert len(list(rest)) == parts - taken


def test_a_refused_body_that_does_not_come_is_not_awaited() -> None:
    async def stalled() -> MutableMapping[str, Any]:
        await asyncio.sleep(60)
        raise AssertionError

    async def gone() -> MutableMapping[str, Any]:
        return {"type": "http.disconnect"}

    asyncio.run(Body(stalled).drain([], 0.01))
    asyncio.run(Body(gone).drain([], 60))


def test_a_cancelled_request_stays_cancelled() -> None:
    async def receive() -> MutableMapping[str, Any]:
        await asyncio.sleep(60)
        raise AssertionError

    async def main() -> None:
        task = asyncio.create_task(read_body({"headers": [JSON]}, Body(receive), LIMITS))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


@pytest.mark.parametrize(
    ("status", "header"),
    [
        (200, None),
        (401, (b"www-authenticate", b"Bearer")),
        (403, (b"connection", b"close")),
        (413, (b"connection", b"close")),
        (429, (b"retry-after", b"1")),
    ],
)
def test_answers(status: int, header: tuple[bytes, bytes] | None) -> None:
    sent: list[MutableMapping[str, Any]] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    asyncio.run(send_json(send, status, b"{}"))
    start, end = sent
    assert (start["status"], end["body"]) == (status, b"{}")
    names = dict(start["headers"])
    assert names[b"content-length"] == b"2" and names[b"content-type"] == b"application/json"
    assert (b"connection" in names) == (status in (401, 403, 413))
    assert header is None or header in start["headers"]
