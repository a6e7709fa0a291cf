"""Bodies in JSON, as they come and go in ASGI."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from typing import Any

from fenjie.serve.limits import Limits, RefusedError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

CLOSED = 499
"""The status of a request, in metrics and logs, whose client has gone."""

HEADERS = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]
"""Headers of every answer."""

CLOSE = (b"connection", b"close")
"""The header of the last answer of a connection."""

_JSON = [(b"content-type", b"application/json"), *HEADERS]
_MORE = {
    401: [(b"www-authenticate", b"Bearer")],
    429: [(b"retry-after", b"1")],
    503: [(b"retry-after", b"1")],
}
_UNREAD = (401, 403, 408, 413, 415)
"""Answers after which the connection is closed: the rest of the body may be to come."""

DRAINED = 1 << 24
"""Bytes of a refused body that are read: a client that has no answer before it has sent all, as
most have, would find the connection reset instead of the answer."""

_LATE = "the body is late"


def has_rest(status: int) -> bool:
    """Whether a request is refused, for its headers or its size, before its body has arrived."""
    return status in _UNREAD and status != 408  # which is for a body that does not arrive


def json_headers(status: int, body: bytes) -> list[tuple[bytes, bytes]]:
    """The headers of an answer in JSON."""
    return [*_JSON, (b"content-length", b"%d" % len(body)), *headers_of(status)]


def headers_of(status: int) -> list[tuple[bytes, bytes]]:
    """The headers that an answer has for its status."""
    return [*_MORE.get(status, ()), *([CLOSE] if status in _UNREAD else [])]


async def send_json(send: Send, status: int, body: bytes) -> None:
    """Send an answer in JSON."""
    headers = json_headers(status, body)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Body:
    """A body as it arrives.

    Attributes:
        complete: whether nothing of it is to come.
    """

    def __init__(self, receive: Receive) -> None:
        """Take what gives its parts."""
        self._receive = receive
        self.complete = False

    async def part(self) -> bytes:
        """The next part.

        Raises:
            RefusedError: the client has gone.
        """
        message = await self._receive()
        gone = message["type"] == "http.disconnect"
        self.complete = gone or not message.get("more_body", False)
        if gone:
            raise RefusedError(CLOSED, "the client has gone")
        return bytes(message.get("body", b""))

    async def drain(self, given: Iterable[tuple[bytes, bytes]], seconds: float) -> None:
        """Read the rest of a refused body and forget it, if it is at most `DRAINED` bytes.

        Args:
            given: the headers of the request, their names in lower case.
            seconds: the rest is not awaited for longer.
        """
        headers = dict(given)
        if int(headers.get(b"content-length", 0)) > DRAINED or b"expect" in headers:
            return
        left = DRAINED
        with suppress(RefusedError, TimeoutError):
            async with asyncio.timeout(seconds):
                while not self.complete and left > 0:
                    left -= len(await self.part())


async def read_body(scope: Scope, body: Body, limits: Limits) -> bytes:
    """Read a body in JSON.

    Raises:
        RefusedError: it is declared as something else, is too large or too slow, or the client has
            gone.
    """
    check_headers(scope["headers"], limits)
    task = asyncio.current_task()
    assert task is not None
    timer = asyncio.get_running_loop().call_later(limits.seconds, task.cancel, _LATE)
    try:  # as asyncio.timeout does, which takes longer than all the rest of this
        return await _received(body, limits)
    except asyncio.CancelledError as error:
        if error.args != (_LATE,):
            raise
        task.uncancel()
    finally:
        timer.cancel()
    raise RefusedError(408, f"the body did not arrive within {limits.seconds:g} s")


def check_headers(given: Iterable[tuple[bytes, bytes]], limits: Limits) -> None:
    """Check that a body in JSON is declared, and no larger than it may be.

    Args:
        given: the headers of a request, their names in lower case.
        limits: bound its size.

    Raises:
        RefusedError: 413 or 415.
    """
    headers = dict(given)
    if int(headers.get(b"content-length", 0)) > limits.bytes:
        raise _too_large(limits)
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise RefusedError(415, "the body is compressed; send it as it is")
    kind: bytes = headers.get(b"content-type", b"")
    if kind.partition(b";")[0].strip().lower() != b"application/json":
        raise RefusedError(415, "the body is not declared as Content-Type: application/json")


async def _received(body: Body, limits: Limits) -> bytes:
    received = bytearray()
    while not body.complete:
        received += await body.part()
        if len(received) > limits.bytes:
            raise _too_large(limits)
    return bytes(received)


def _too_large(limits: Limits) -> RefusedError:
    return RefusedError(413, f"the body is larger than {limits.bytes} bytes")
