"""The short way of a request gives, byte by byte, what the long way through ASGI gives."""

from __future__ import annotations

import json
import logging
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from threading import Event, Thread, Timer

import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from fenjie.runtime.segmenter import Segmenter
from fenjie.serve.app import Service
from fenjie.serve.batcher import SHORT
from fenjie.serve.limits import Limits
from fenjie.serve.protocol import HEAD, Exchange, Protocol
from fenjie.serve.server import listen, make_config
from fenjie.serve.taggers import Models

TEXT = "商品和服务，他说的确实在理。"
LIMITS = Limits(characters=500, texts=3, seconds=0.5)
DEADLINE = 30
PATIENCE = 2 * LIMITS.seconds + 1
"""Seconds that a stop waits for connections (`make_config`)."""


@contextmanager
def serving(
    service: Service, protocol: type[HttpToolsProtocol], keep_alive: float | None = None
) -> Iterator[int]:
    """A service in a thread of its own: its port."""
    with listen("127.0.0.1", 0) as listening:
        config = make_config(service)
        config.http = protocol
        if keep_alive is not None:
            config.timeout_keep_alive = keep_alive  # type: ignore[assignment]
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(DEADLINE)


@pytest.fixture(scope="module")
def ports(models: Models) -> Iterator[tuple[int, int]]:
    """The ports of two services: one by the short way, one by the long way."""
    with ExitStack() as stack:
        yield tuple(
            stack.enter_context(serving(Service(models, LIMITS, token="secret"), kind))
            for kind in (Protocol, HttpToolsProtocol)
        )


def request(
    body: bytes, *more: str, path: str = "/v1/segment", first: str = "POST {} HTTP/1.1"
) -> bytes:
    """A request in JSON."""
    head = (
        first.format(path), "Host: a", "Authorization: Bearer secret", *more,
        "Content-Type: application/json", f"Content-Length: {len(body)}",
    )  # fmt: skip
    return "\r\n".join((*head, "", "")).encode() + body


def asked(**body: object) -> bytes:
    """The body of a request."""
    return json.dumps(body).encode()


GOOD = request(asked(text=TEXT))
END = request(b"", "Connection: close", path="/healthz", first="GET {} HTTP/1.1")


def answer(port: int, *pieces: bytes) -> bytes:
    """All that is answered to some pieces, sent one after the other, but for dates."""
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as one:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for number, piece in enumerate(pieces):
            time.sleep(0.05 * (number > 0))
            one.sendall(piece)
        answered = b"".join(iter(lambda: one.recv(1 << 16), b""))
    return re.sub(rb"date: [^\r]*\r\n", b"", answered)


@pytest.mark.parametrize(
    "pieces",
    [
        (GOOD, END),
        (GOOD + END,),
        (GOOD + GOOD + request(asked(text=[TEXT, ""]), path="/v1/tag") + END,),
        (GOOD[:40], GOOD[40:], END),
        (GOOD[:-5], GOOD[-5:] + END),
        (request(asked(text=TEXT, words=["品和"])), END),
        (request(asked(text=TEXT, words={"品和": "LOC"}), path="/v1/tag"), END),
        (request(asked(text=TEXT), path="/v1/lattice"), END),
        (request(asked(text=[]), path="/v1/tag"), END),
        (request(asked(text=TEXT, model="none")), END),
        (request(asked(text=TEXT, standard="none")), END),
        (request(asked(text=TEXT, words=["a b"])), END),
        (request(asked(text=[TEXT] * 4)), END),
        (request(asked(text=TEXT * 40)),),
        (request(b" " * 20_000),),
        (request(b"{"), request(b""), request(b"\xff"), END),
        (request(asked(text=TEXT), path="/v1/segment?a=b"), END),
        (request(asked(text=TEXT), "Connection: close"),),
        (request(asked(text=TEXT), first="POST {} HTTP/1.0"),),
        (request(asked(text=TEXT), first="GET {} HTTP/1.1"), END),
        (request(asked(text=TEXT), "Expect: 100-continue"), END),
        (request(asked(text=TEXT), "Connection: Upgrade", "Upgrade: websocket"), END),
        (request(asked(text=TEXT), "Content-Encoding: gzip"),),
        (GOOD.replace(b"secret", b"wrong"),),
        (GOOD.replace(b"application/json", b"text/plain"),),
        (GOOD.replace(b"Content-Length: ", b"Transfer-Encoding: chunked\r\nX: ").replace(
            asked(text=TEXT), b"%x\r\n%b\r\n0\r\n\r\n" % (len(asked(text=TEXT)), asked(text=TEXT))
        ), END),
        (GOOD[:-5],),
        (GOOD, b"\0\0\0\0\r\n\r\n"),
        (GOOD[:-5] + b"\0\0\0\0\0GET", b"\0"),
    ],
)  # fmt: skip
def test_both_ways_answer_alike(ports: tuple[int, int], pieces: tuple[bytes, ...]) -> None:
    short, long = (answer(port, *pieces) for port in ports)
    assert short == long
    assert short.startswith(b"HTTP/1.1 ")


def test_which_requests_take_the_short_way(
    ports: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []
    begin = Exchange.begin

    def seen(exchange: Exchange, body: bytes) -> None:
        begun.append(body)
        begin(exchange, body)

    monkeypatch.setattr(Exchange, "begin", seen)
    body = asked(text=TEXT)
    answer(ports[0], GOOD, GOOD.replace(b"segment", b"tag") + END)
    assert begun == [body, body]
    answer(ports[0], GOOD[:-5], GOOD[-5:], request(body, "Connection: close"))
    assert begun == [body, body]


def work_slowly(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let the service cut so much later."""

    def work(tagger: Segmenter) -> Callable[[list[str]], list[list[str]]]:
        def cut(texts: list[str]) -> list[list[str]]:
            time.sleep(seconds)
            return tagger.cut(texts)

        return cut

    monkeypatch.setattr("fenjie.serve.operations.Segment.work", staticmethod(work))


def test_a_refused_request_does_not_close_the_next_one(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_slowly(monkeypatch, 1)
    long = request(asked(text="商" * (SHORT + 1)))
    with serving(Service(models, Limits()), Protocol, keep_alive=0.2) as port:
        found = answer(port, request(b"{") + long)
    assert [int(one[:3]) for one in found.split(b"HTTP/1.1 ")[1:]] == [422, 200]


@pytest.mark.parametrize("token", ["secret", "wrong"])
def test_a_client_that_sends_all_before_it_reads_sees_why_a_large_body_is_refused(
    ports: tuple[int, int], token: str
) -> None:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    for port in ports:
        client = HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
        client.request("POST", "/v1/segment", asked(text="商" * 2_000_000), headers)
        found = client.getresponse()
        assert found.status == (413 if token == "secret" else 401)
        assert list(json.loads(found.read())) == ["error"]


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [(Protocol, 0.3), (Protocol, PATIENCE + 0.5), (HttpToolsProtocol, PATIENCE + 0.5)],
    ids=["short way", "short way, long work", "long way, long work"],
)
def test_a_stop_answers_what_has_begun(
    models: Models,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: type[HttpToolsProtocol],
    seconds: float,
) -> None:
    go, begun = Event(), Event()

    def work(tagger: Segmenter) -> Callable[[list[str]], list[list[str]]]:
        def cut(texts: list[str]) -> list[list[str]]:
            begun.set()
            assert go.wait(DEADLINE)
            return tagger.cut(texts)

        return cut

    monkeypatch.setattr("fenjie.serve.operations.Segment.work", staticmethod(work))
    service = Service(models, Limits(seconds=LIMITS.seconds))
    answered: list[bytes] = []
    long = request(asked(text="商" * (SHORT + 1)))  # so that the event loop goes on meanwhile
    with serving(service, kind) as port:
        thread = Thread(target=lambda: answered.append(answer(port, long)))
        thread.start()
        assert begun.wait(DEADLINE)
        Timer(seconds, go.set).start()
    thread.join(DEADLINE)
    (one,) = answered
    assert one.startswith(b"HTTP/1.1 200 OK") and one.count(b"connection: close") == 1
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(("log", "size"), [("requests", ""), ("texts", f" {[TEXT]!r}")])
def test_counts_and_logs(
    models: Models, caplog: pytest.LogCaptureFixture, log: str, size: str
) -> None:
    service = Service(models, Limits(), log=log)  # type: ignore[arg-type]
    with caplog.at_level(logging.INFO), serving(service, Protocol) as port:
        answer(port, GOOD, request(b"{"), END)
    text = service.metrics.text().decode()
    assert 'fenjie_requests_total{operation="segment",status="200"} 1.0' in text
    assert 'fenjie_requests_total{operation="segment",status="422"} 1.0' in text
    assert 'fenjie_texts_total{model="tiny"} 1.0' in text
    logged = [record.getMessage() for record in caplog.records if record.name == "fenjie.serve"]
    assert re.fullmatch(
        rf"POST segment 200 [0-9.]+ ms 1 texts 14 characters{re.escape(size)}", logged[0]
    )
    assert re.fullmatch(r"POST segment 422 [0-9.]+ ms", logged[1])


def test_errors_of_the_service_say_nothing(
    models: Models, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> Callable[[], None]:
        raise RuntimeError(f"/secret/path {TEXT}")

    monkeypatch.setattr("fenjie.serve.operations.Segment.found", broken)
    with serving(Service(models, Limits()), Protocol) as port:
        found = answer(port, GOOD, END)
    assert b"HTTP/1.1 500 " in found
    assert b'{"error":"the service has made an error"}' in found
    assert "RuntimeError" in caplog.text and TEXT not in caplog.text


@pytest.mark.parametrize("sent", [GOOD, GOOD * 3, GOOD + END + GOOD, GOOD[:-5], GOOD + GOOD[:-5]])
def test_a_client_that_has_gone_is_no_error(
    models: Models, caplog: pytest.LogCaptureFixture, sent: bytes
) -> None:
    service = Service(models, Limits())
    with serving(service, Protocol) as port:
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port)) as one:
                one.sendall(sent)
        assert answer(port, GOOD, END).count(b"HTTP/1.1 200 OK") == 2
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.fixture(scope="module")
def plain(models: Models) -> Iterator[int]:
    """The port of a service with the usual limits."""
    with serving(Service(models, Limits()), Protocol) as port:
        yield port


def huge() -> tuple[bytes, bytes]:
    """The begin of a head that is too large, without an end."""
    return END[:-4] + b"\r\nX: " + b"a" * (HEAD // 2), b"a" * (HEAD // 2 + 1)


@pytest.mark.parametrize("before", [0, 1])
def test_a_head_without_end_is_refused(plain: int, before: int) -> None:
    found = answer(plain, *[GOOD] * before, *huge()).split(b"HTTP/1.1 ")[1:]
    assert [int(one[:3]) for one in found] == [200] * before + [431]
    head, _, body = found[-1].partition(b"\r\n\r\n")
    assert b"connection: close" in head
    assert json.loads(body) == {"error": f"the headers are larger than {HEAD} bytes"}


def test_trailers_without_end_are_refused(plain: int) -> None:
    body = asked(text=TEXT)
    head = GOOD[: -len(body)].replace(b"Content-Length: ", b"Transfer-Encoding: chunked\r\nX: ")
    assert answer(plain, head + b"0\r\nX: ", *[huge()[1]] * 2).startswith(b"HTTP/1.1 431 ")


def test_a_head_within_the_limit_may_come_in_pieces(plain: int) -> None:
    first, rest = huge()
    found = answer(plain, first, rest[: HEAD // 4] + b"\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize(
    ("pieces", "statuses"),
    [
        ((), []),
        ((b"\r\n",), []),
        ((END[:20],), []),
        ((END[:20], END[20:30]), []),
        ((GOOD, END[:20]), [200]),
        ((GOOD + END[:20],), [200]),
        ((request(b"{") + END[:20],), [422]),
        ((GOOD, b"\r\n"), [200]),
        ((request(asked(text="商" * (SHORT + 1))) + END[:20],), [200]),
    ],
)  # fmt: skip
def test_a_connection_whose_head_does_not_arrive_is_closed(
    models: Models, pieces: tuple[bytes, ...], statuses: list[int]
) -> None:
    with serving(Service(models, Limits(seconds=0.5)), Protocol, keep_alive=1000) as port:
        found = answer(port, *pieces)
    assert [int(one[:3]) for one in found.split(b"HTTP/1.1 ")[1:]] == statuses


def test_a_connection_is_not_closed_before_a_request_is_answered(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_slowly(monkeypatch, 1.2)
    long = request(asked(text="商" * (SHORT + 1)))
    with serving(Service(models, Limits(seconds=0.5)), Protocol) as port:
        found = answer(port, long + END[:20], END[20:])
    assert found.count(b"HTTP/1.1 200 OK") == 2


def test_a_body_may_come_in_pieces_after_the_head(plain: int) -> None:
    body = asked(text=TEXT)
    head = GOOD[: -len(body)]
    chunked = head.replace(b"Content-Length: %d" % len(body), b"Transfer-Encoding: chunked")
    chunks = [b"%x\r\n" % len(body), body, b"\r\n0\r\n", b"\r\n"]
    found = answer(plain, head, body[:9], body[9:], chunked, *chunks, GOOD + GOOD, END)
    assert found.count(b"HTTP/1.1 200 OK") == 5
