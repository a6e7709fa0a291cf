"""A connection: uvicorn's protocol, with a short way for requests for annotations."""

from __future__ import annotations

import asyncio
from collections import deque
from time import perf_counter
from typing import Any, ClassVar, cast

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from fenjie.serve.app import Service
from fenjie.serve.limits import RefusedError
from fenjie.serve.operations import Annotating, TextRequest
from fenjie.serve.wire import CLOSE, check_headers, json_headers

HEAD = 1 << 16
"""Bytes of a head after which no more of it is awaited."""


class Protocol(HttpToolsProtocol):
    """A connection to a client.

    A request for annotations that has arrived whole, with nothing unusual about it, is worked on at
    once and answered by one write. All others go the long way, through ASGI, where slow bodies,
    slow readers and whatever is refused by its headers are dealt with. The answers are the same.

    A head that is too large is refused, and a connection is closed whose head does not arrive: the
    first one in time from when the client connects, any other from its first byte.
    """

    _operation: Annotating | None = None
    """That of the request that arrives now, as long as it may take the short way."""

    _head = 0
    """Bytes that have arrived since the last head, part of a body or request was complete; those
    that came with its end are not counted, but for one where a head has begun."""

    _head_timer: asyncio.TimerHandle | None = None
    """Closes the connection where a head does not arrive."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Await the first head."""
        super().connection_made(transport)
        self._unanswered: deque[RequestResponseCycle] = deque()
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Await nothing any more, and answer none of the requests: uvicorn stops but the last."""
        self._head_is_there()
        for cycle in self._unanswered:
            if not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has arrived."""
        self._head += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._operation is not None:
            self._go_the_long_way()  # the rest of the body is to come
        if self._head > HEAD:
            self._refuse_head()
        elif self._head and self._head_timer is None:
            self._await_head()

    def on_message_begin(self) -> None:
        """Begin to read a request, until whose answer the connection is not closed as unused.

        It may have come with the one before it, which has been refused in the meantime.
        """
        self._unset_keepalive_if_required()
        self._head = self._head or 1
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Choose the way of a request."""
        self._head_is_there()
        self._operation, self._body = self._short_way(), b""
        if self._operation is None:
            super().on_headers_complete()
            self._has_begun()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._head = 0
        if self._operation is None:
            super().on_body(body)
        else:
            self._body += body

    def on_message_complete(self) -> None:
        """Begin to answer a request that has arrived whole."""
        self._head_is_there()
        if self._operation is not None and len(self._body) > self.service.limits.bytes:
            self._go_the_long_way()
        if self._operation is None:
            super().on_message_complete()
            return
        operation, self._operation = self._operation, None
        exchange = Exchange(self, operation)
        self.cycle = exchange  # type: ignore[assignment]  # it has what uvicorn asks of it
        self._has_begun()
        exchange.begin(self._body)

    @property
    def service(self) -> Service:
        """The service, which nothing may stand before."""
        return cast(Service, self.app)

    def send(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        """Send a whole answer."""
        all_headers = (*self.server_state.default_headers, *headers)
        lines = [b"%b: %b\r\n" % header for header in all_headers]
        self.transport.write(b"".join((STATUS_LINE[status], *lines, b"\r\n", body)))

    def _has_begun(self) -> None:
        """Remember the request that arrives now, and forget those that are answered."""
        while self._unanswered and self._unanswered[0].response_complete:
            self._unanswered.popleft()
        self._unanswered.append(self.cycle)

    def _await_head(self) -> None:
        """Close the connection later, if no head is complete by then."""
        self._head_timer = self.loop.call_later(self.service.limits.seconds, self._head_is_late)

    def _head_is_there(self) -> None:
        self._head = 0
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_is_late(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self._head_timer = None
            self.transport.close()
        else:  # one that came before is not answered yet, and nothing may be read until it is
            self._await_head()

    def _refuse_head(self) -> None:
        error = RefusedError(431, f"the headers are larger than {HEAD} bytes")
        status, body = self.service.refusal(error)
        self.send(status, [*json_headers(status, body), CLOSE], body)
        self.transport.close()

    def _short_way(self) -> Annotating | None:
        """The operation of a request by its headers, None where it has to go the long way."""
        operation = self.service.annotating.get(self.url)
        if (
            operation is None
            or self.parser.get_method() != b"POST"
            or self.parser.get_http_version() != "1.1"
            or self.parser.should_upgrade()
            or not self.parser.should_keep_alive()
            or self.expect_100_continue
            or self.flow.write_paused
            or not (self.cycle is None or self.cycle.response_complete)  # another one is before it
        ):
            return None
        try:
            self.service.access.check(self.url.decode(), self.headers)
            check_headers(self.headers, self.service.limits)
        except RefusedError:
            return None
        return operation

    def _go_the_long_way(self) -> None:
        self._operation = None
        super().on_headers_complete()
        self._has_begun()
        if self._body:
            super().on_body(self._body)


class Exchange:
    """A request on the short way, with what uvicorn asks of those that it works on itself.

    Attributes:
        response_complete: whether it is answered.
        disconnected: whether its client has gone.
        keep_alive: whether the connection stays open after the answer.
        message_event: set when the client has gone; nobody waits for it.
    """

    message_event: ClassVar = asyncio.Event()

    def __init__(self, protocol: Protocol, operation: Annotating) -> None:
        """Take a request.

        Args:
            protocol: its connection.
            operation: what it asks for.
        """
        self._protocol, self._operation = protocol, operation
        self._request: TextRequest | None = None
        self._started = perf_counter()
        self.response_complete = self.disconnected = False
        self.keep_alive = True

    def begin(self, body: bytes) -> None:
        """Let the request wait for its turn.

        Args:
            body: its body.
        """
        try:
            self._request = self._operation.read(body)
            self._operation.submit(self._request).add_done_callback(self._end)
        except Exception as error:
            self._answer(*self._protocol.service.refusal(error))

    def _end(self, future: asyncio.Future[list[Any]]) -> None:
        assert self._request is not None
        try:
            body = self._operation.body(self._request, future.result())
        except Exception as error:
            self._answer(*self._protocol.service.refusal(error))
        else:
            self._answer(200, body)

    def _answer(self, status: int, body: bytes) -> None:
        protocol = self._protocol
        self.response_complete = True
        if not self.disconnected:
            headers = json_headers(status, body)
            if CLOSE in headers:
                self.keep_alive = False
            elif not self.keep_alive:
                headers.append(CLOSE)
            protocol.send(status, headers, body)
            if not self.keep_alive:
                protocol.transport.close()
        texts = None if self._request is None else self._request.texts
        protocol.service.answered("POST", self._operation.name, status, self._started, texts)
        if not self.disconnected:
            protocol.on_response_complete()
