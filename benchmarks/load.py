"""A client that loads a service: many connections, each with one request at a time."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.machine import ONE_THREAD

TICKS = 100
"""Ticks of a second in /proc."""


@contextmanager
def serving(*options: str) -> Iterator[tuple[int, int]]:
    """A service in a process of its own: its process id and its port."""
    command = [sys.executable, "-m", "fenjie", "serve", "--port", "0", *options]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=os.environ | ONE_THREAD
    ) as process:
        try:
            assert process.stderr is not None
            found = re.search(r":(\d+)/", process.stderr.readline())
            assert found is not None
            yield process.pid, int(found[1])
        finally:
            process.terminate()


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process so far."""
    columns = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(columns[11]) + int(columns[12])) / TICKS


def memory_mib(pid: int) -> float:
    """The resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return round(int(found[1]) / 1024, 1)


def request(path: str, body: bytes, more: str = "") -> bytes:
    """A request in JSON, as it goes over a connection."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def texts_of(size: int, count: int, source: str) -> list[str]:
    """Texts of so many characters, one after the other from a longer text."""
    return [source[at : at + size] for at in range(0, size * count, size)]


def bodies(texts: Sequence[str]) -> list[bytes]:
    """A request for the words of each text."""
    return [request("/v1/segment", json.dumps({"text": text}).encode()) for text in texts]


@dataclass
class Seen:
    """What a client has seen.

    Attributes:
        statuses: how often each status code was answered; 0 for a connection that broke.
        waited: the time that each 200 took, from when its request was due: what it waited for a
            connection counts.
        answered: the same from sending the request on.
        wall: seconds in all.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    waited: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    wall: float = 0.0

    @staticmethod
    def at(share: float, times: Sequence[float]) -> float:
        """The time within which this share of the answers came, in milliseconds."""
        ordered = sorted(times)
        return round(1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1)


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, message: bytes
) -> int:
    """Send a request and read its answer; the status code."""
    writer.write(message)
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    assert length is not None
    await reader.readexactly(int(length[1]))
    return int(head[9:12])


async def load(
    port: int, messages: Sequence[bytes], connections: int, seconds: float, rate: float = 0.0
) -> Seen:
    """Ask for some time.

    Args:
        port: of the service.
        messages: requests, taken in turn.
        connections: connections that ask at once.
        seconds: for how long; what is due and not sent by then is left out.
        rate: requests a second that are due, at random times; 0 for as many as are answered.
    """
    seen, order = Seen(), random.Random(1)
    queue: asyncio.Queue[float] = asyncio.Queue()
    started = perf_counter()
    end = started + seconds

    async def ask(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        at = number
        while (due := await queue.get() if rate else perf_counter()) < end:
            if (sent := perf_counter()) >= end:
                break
            try:
                status = await exchange(reader, writer, messages[at % len(messages)])
            except (OSError, asyncio.IncompleteReadError):
                status = 0
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            seen.statuses[status] += 1
            if status == 200:
                now = perf_counter()
                seen.waited.append(now - due)
                seen.answered.append(now - sent)
            at += connections
        writer.close()

    async def plan() -> None:
        due = started
        while due < end:
            await asyncio.sleep(max(0.0, due - perf_counter()))
            queue.put_nowait(due)
            due += order.expovariate(rate)
        for _ in range(connections):
            queue.put_nowait(end)

    tasks = [asyncio.create_task(ask(number)) for number in range(connections)]
    if rate:
        await plan()
    await asyncio.gather(*tasks)
    seen.wall = perf_counter() - started
    return seen


def malformed(order: random.Random) -> Iterator[bytes]:
    """Requests that are wrong in one way or another, without an end."""
    good = json.dumps({"text": "王小明在北京", "words": ["王小明"]}).encode()
    paths = ("/v1/segment", "/v1/tag", "/v1/lattice", "/v1/attention", "/v1/train", "/", "/v1/x")
    values: tuple[Any, ...] = (
        *(None, 1, -1, 1e308, True, [], {}, "", "\0"),
        *([[]], [None], {"": None}, "a" * 5000),
    )
    keys = ("text", "words", "model", "name", "sentences", "start", "\ud83d", "__proto__")
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: _mutated(good, order),
        lambda: order.randbytes(order.randrange(200)),
        lambda: json.dumps({order.choice(keys): order.choice(values) for _ in range(3)}).encode(),
        lambda: good.decode().encode(order.choice(("utf-16", "utf-32", "gb18030", "utf-8-sig"))),
        lambda: b'{"text":' * order.randrange(1, 3000),
        lambda: b"[" * order.randrange(1, 5000),
        lambda: good[: order.randrange(len(good))],
        lambda: b'{"text":"\\ud800"}',
        lambda: b'{"text":' + b"9" * order.randrange(1, 4000) + b"}",
    )
    heads = (
        "", "Content-Encoding: gzip\r\n", "Content-Type: text/plain\r\n", "Accept: \x01\r\n",
        "Authorization: Bearer \xff\r\n", "X: " + "a" * 2000 + "\r\n", "Expect: nothing\r\n",
        "Origin: http://evil.example\r\n", "Cookie: a=b\r\n",
    )  # fmt: skip
    while True:
        message = request(order.choice(paths), order.choice(ways)(), order.choice(heads))
        yield message.replace(b"POST", order.choice((b"POST",) * 6 + (b"PUT", b"PATCH", b"FOO")), 1)


def _mutated(body: bytes, order: random.Random) -> bytes:
    changed = bytearray(body)
    for _ in range(order.randrange(1, 6)):
        changed[order.randrange(len(changed))] = order.randrange(256)
    return bytes(changed)


async def abuse(port: int, count: int) -> Counter[str]:
    """Send malformed requests, each on a connection of its own; their status codes.

    One that is not answered within ten seconds counts as `hang`.
    """
    found: Counter[str] = Counter()
    messages = malformed(random.Random(1))
    free = asyncio.Semaphore(16)

    async def one(message: bytes) -> None:
        async with free:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                status = await asyncio.wait_for(exchange(reader, writer, message), 10)
                found[str(status)] += 1
            except TimeoutError:
                found["hang"] += 1
            except (OSError, asyncio.IncompleteReadError):
                found["closed"] += 1
            finally:
                writer.close()

    for _ in range(0, count, 100):
        await asyncio.gather(*(one(next(messages)) for _ in range(100)))
    return found
