"""The service as a process: it listens, serves beside slow clients, and stops cleanly."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from fenjie.errors import FenjieError
from fenjie.serve.server import is_local, listen, url

DEADLINE = 60


class Process:
    """A service in a process of its own, over tiny models."""

    def __init__(self, *options: object) -> None:
        command = [sys.executable, "-m", "fenjie", "serve", "--port", "0", *map(str, options)]
        self.process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            # where the tests run under nohup, this process does not
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        )
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        self.url = self.said.split()[-1]
        self.port = int(self.url.strip("/").rpartition(":")[2])

    def post(self, operation: str, **body: Any) -> tuple[int, Any]:
        request = Request(f"{self.url}v1/{operation}", json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        try:
            with urlopen(request, timeout=DEADLINE) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            return error.code, json.load(error)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(DEADLINE)


@pytest.fixture
def process(tiny_model: Path, tiny_ner: Path) -> Iterator[Process]:
    made = Process("-m", tiny_model, "-m", tiny_ner, "--timeout", 30)
    yield made
    made.process.kill()
    made.process.communicate()


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no SIGHUP here")
def test_a_hangup_stops_it_as_other_signals_do(process: Process) -> None:
    process.post("segment", text="商品和服务")
    assert process.stop(signal.SIGHUP) == 0
    assert process.process.stderr is not None and process.process.stderr.read() == ""


def test_requests_in_flight_are_answered_at_a_stop(process: Process) -> None:
    assert process.said.startswith("fenjie serves tiny, tiny-ner at http://127.0.0.1:")
    found: list[tuple[int, Any]] = []
    texts = ["商品和服务，他说的确实在理。" * 10] * 600

    def ask() -> None:
        found.append(process.post("tag", text=texts))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    while "fenjie_waiting_requests 0.0" in metrics(process):
        pass
    assert process.stop() == 0
    for thread in threads:
        thread.join(DEADLINE)
    assert [(status, len(answer["sentences"])) for status, answer in found] == [(200, 600)] * 3
    assert process.process.stderr is not None and process.process.stderr.read() == ""


def metrics(process: Process) -> str:
    with urlopen(f"{process.url}metrics", timeout=DEADLINE) as answer:
        return str(answer.read().decode())


def test_slow_and_dropped_connections_hold_nothing_up(process: Process) -> None:
    address = ("127.0.0.1", process.port)
    head = b"POST /v1/tag HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    parts = (
        b"",
        b"POST",
        head,
        head + b"Content-Length: 100\r\n\r\n",
        head + b"Content-Length: 100\r\n\r\n{",
    )
    slow = [socket.create_connection(address) for _ in range(50)]
    for number, one in enumerate(slow):
        one.sendall(parts[number % len(parts)])
    for _ in range(50):
        with socket.create_connection(address) as dropped:
            dropped.sendall(head + b"Content-Length: 14\r\n\r\n" + b'{"text": "ab"}')
    assert process.post("tag", text="商品")[0] == 200
    for one in slow:
        one.close()
    assert process.post("segment", text="商品")[0] == 200


def test_bytes_that_are_no_http(process: Process) -> None:
    for sent in (
        b"\0" * 100,
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/tag HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: \xff\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", process.port), timeout=DEADLINE) as one:
            one.sendall(sent)
            one.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: one.recv(4096), b""))
        assert b" 500 " not in answer.partition(b"\r\n")[0]
        assert b"uvicorn" not in answer.lower()
    assert process.post("tag", text="商品")[0] == 200


def test_addresses() -> None:
    with listen("127.0.0.1", 0) as one:
        port = one.getsockname()[1]
        assert is_local(one) and url(one) == f"http://127.0.0.1:{port}/"
        with pytest.raises(FenjieError, match=rf"cannot listen at 127\.0\.0\.1:{port}: Address"):
            listen("127.0.0.1", port)
    with listen("0.0.0.0", 0) as every:
        assert not is_local(every)
    for host in ("256.0.0.1", "", "\ud800", "a" * 300):
        if host:
            with pytest.raises(FenjieError, match="cannot listen at"):
                listen(host, 0)
