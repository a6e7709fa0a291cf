"""The service under load: one process, texts of 40 characters, words of the shipped model.

    python -m benchmarks.serve [--seconds 30] [--overload 120] [--malformed 10000]

1. Speed: texts a second over 64 connections beside a list call in Python, in turns. Compared is CPU
   time, so that what else runs on the machine counts little.
2. Half of that load, requests at random times: the time of an answer beside that of one text, and
   of requests that come one after the other, which shows how late the machine itself is.
3. As many requests as the clients can send, up to four times of what it answers: status codes, the
   time of answers, memory.
   Times are counted from when a request is due, here from when it is sent.
4. Malformed requests: status codes, hangs, memory.
5. Slow clients, and clients that go away: the time of an answer meanwhile.
6. Long texts: the time of an answer to others while the service is never without one.

Writes `benchmarks/results/serve.json`, and prints the table of `docs/howto/serve.md`.
"""

from __future__ import annotations

import asyncio
import time
from statistics import median
from typing import Any

import fenjie
from benchmarks.load import abuse, bodies, cpu_seconds, load, memory_mib, request, serving, texts_of
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read
from fenjie.recipe.recipe import locate

SIZE, COUNT, CONNECTIONS, MANY, ROUNDS = 40, 2000, 64, 512, 3
LONG, SHORTLY = 100_000, 15


def main() -> None:
    """Measure, print and save."""
    counts = {
        "seconds": (30, "seconds of each load but the last"),
        "overload": (120, "seconds of four times the load"),
        "malformed": (10_000, "malformed requests"),
    }
    options = parser(__doc__, **counts).parse_args()
    sentences = read(locate("cws/pku/pku_test_gold.utf8")).sentences
    texts = texts_of(SIZE, COUNT, "".join(sentence.text for sentence in sentences))
    with serving("-m", "segment", "-m", "ner", "--timeout", "5") as (pid, port):
        result = asyncio.run(_measured(pid, port, texts, options))
    print("\n".join(table(result)))
    save("serve", {"command": typed(), "texts": COUNT, "characters": SIZE, **result})


def table(result: dict[str, Any]) -> list[str]:
    """The rows of the page of the service: each load, and the answers."""
    speed, lone, half = (result[name] for name in ("speed", "one_connection", "half_load"))
    four, broken = result["four_times_the_load"], result["malformed"]
    slow, long, rate = result["slow_clients"], result["long_texts"], "requests_per_second"
    served, listed = speed["texts_per_cpu_second"], speed["list_texts_per_cpu_second"]
    percent = 100 * speed["share_of_list"]
    fast = f"{served:,} texts a second of CPU time; one list call in Python {listed:,}, so "
    rows = [
        ("64 connections, as fast as they can", f"{fast}{percent:.0f} % of that"),
        ("one connection, one request after the other", _times(lone)),
        (
            f"{half[rate]:,} requests a second, half of what it can do",
            f"{_times(half)}; a call in Python for one text takes {half['one_text_ms']} ms",
        ),
        (
            f"{four['sent_per_second']:,} a second for {four['seconds']} s, as many as the clients "
            f"can send ({four[rate]:,} were due, four times of what it can do), "
            f"{four['connections']} connections; times from sending",
            f"{_times(four)}; {_memory(four)}",
        ),
        (
            f"{sum(broken['statuses'].values()):,} malformed requests, some valid after all",
            f"{_counts(broken)}; {_memory(broken)}",
        ),
        (
            f"{slow[rate]:,} requests a second beside 50 clients whose bodies never end, and 50 a "
            "second that go away",
            _times(slow),
        ),
        (
            f"{long[rate]:,} requests a second beside two clients that send one text of {LONG:,} "
            "characters after the other",
            f"{_times(long)}; {long['long_texts_per_second']} long texts a second",
        ),
    ]
    return [f"| {load} | {found} |" for load, found in rows]


def _counts(seen: dict[str, Any]) -> str:
    return ", ".join(f"{count:,} × {status}" for status, count in seen["statuses"].items())


def _times(seen: dict[str, Any]) -> str:
    times = f"half of the 200s within {seen['p50_ms']} ms, 99 % within {seen['p99_ms']} ms"
    return f"{_counts(seen)}; {times}"


def _memory(seen: dict[str, Any]) -> str:
    before, after = seen["memory_mib"]
    return f"memory {before:.0f} MiB before, {after:.0f} after"


async def _measured(pid: int, port: int, texts: list[str], options: Any) -> dict[str, Any]:
    segment, messages = fenjie.load("segment"), bodies(texts)
    await load(port, messages, CONNECTIONS, 2)  # to warm up
    rounds = []
    for _ in range(ROUNDS):
        lists = _list_seconds(segment, texts)
        before = cpu_seconds(pid)
        seen = await load(port, messages, CONNECTIONS, options.seconds / ROUNDS)
        served = (cpu_seconds(pid) - before) / seen.statuses[200]
        rounds.append((lists / served, 1 / served, 1 / lists, seen.statuses[200] / seen.wall))
    share, served, listed, wall = (median(column) for column in zip(*rounds, strict=True))
    found: dict[str, Any] = {
        "speed": {
            "share_of_list": round(share, 3),
            "texts_per_cpu_second": round(served),
            "list_texts_per_cpu_second": round(listed),
            "texts_per_second_while_the_machine_was_shared": round(wall),
        }
    }
    print(found, flush=True)
    alone = _one_seconds(segment, texts)
    lone = await load(port, messages, 1, 5)
    found["one_connection"] = _answers(lone)
    half = await load(port, messages, CONNECTIONS, options.seconds, wall / 2)
    found["half_load"] = {
        "requests_per_second": round(wall / 2),
        "one_text_ms": round(1000 * alone, 2),
        **_answers(half),
    }
    print(found["half_load"], flush=True)
    memory = memory_mib(pid)
    four = await load(port, messages, MANY, options.overload, 4 * wall)
    found["four_times_the_load"] = {
        "requests_per_second": round(4 * wall),
        "connections": MANY,
        "sent_per_second": round(four.statuses.total() / four.wall),
        "memory_mib": [memory, memory_mib(pid)],
        **_answers(four),
        "p50_ms": four.at(0.5, four.answered),
        "p99_ms": four.at(0.99, four.answered),
    }
    print(found["four_times_the_load"], flush=True)
    memory = memory_mib(pid)
    statuses = await abuse(port, options.malformed)
    found["malformed"] = {
        "statuses": dict(sorted(statuses.items())),
        "memory_mib": [memory, memory_mib(pid)],
    }
    print(found["malformed"], flush=True)
    found["slow_clients"] = await _slow(port, messages, wall / 4)
    print(found["slow_clients"], flush=True)
    found["long_texts"] = await _beside_long(port, messages, texts, wall / 4)
    print(found["long_texts"], flush=True)
    return found


def _list_seconds(segment: Any, texts: list[str]) -> float:
    """CPU time of a text in a list call."""
    started = time.process_time()
    segment(texts)
    return (time.process_time() - started) / len(texts)


def _one_seconds(segment: Any, texts: list[str]) -> float:
    """The time of a call for one text, the median."""
    times = []
    for text in texts[:300]:
        started = time.perf_counter()
        segment(text)
        times.append(time.perf_counter() - started)
    return median(times)


def _answers(seen: Any) -> dict[str, Any]:
    statuses = {str(status): count for status, count in sorted(seen.statuses.items())}
    return {
        "seconds": round(seen.wall),
        "statuses": statuses,
        "p50_ms": seen.at(0.5, seen.waited),
        "p99_ms": seen.at(0.99, seen.waited),
    }


async def _slow(port: int, messages: list[bytes], rate: float) -> dict[str, Any]:
    """Answers to others while 50 clients never end their body and 50 a second go away."""
    half = request("/v1/segment", b'{"text": "' + b"a" * 2000)[:-1000]
    held = []
    for _ in range(50):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(half)
        held.append(writer)
    task = asyncio.create_task(load(port, messages, CONNECTIONS, 5, rate))
    while not task.done():
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(messages[0])
        writer.transport.abort()
        await asyncio.sleep(0.02)
    for writer in held:
        writer.close()
    return {"requests_per_second": round(rate), **_answers(await task)}


async def _beside_long(
    port: int, messages: list[bytes], texts: list[str], rate: float
) -> dict[str, Any]:
    """Answers to others while two clients send one long text after the other."""
    text = (LONG // SIZE // len(texts) + 1) * "".join(texts)
    others = asyncio.create_task(load(port, bodies([text[:LONG]]), 2, SHORTLY))
    seen = await load(port, messages, CONNECTIONS, SHORTLY, rate)
    long = await others
    return {
        "requests_per_second": round(rate),
        "long_texts_per_second": round(long.statuses[200] / long.wall, 2),
        **_answers(seen),
    }


if __name__ == "__main__":
    run(main)
