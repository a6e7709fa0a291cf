"""Requests that wait together are done together; none is lost, none waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from threading import Event

import pytest

from fenjie.serve import batcher as batcher_module
from fenjie.serve.batcher import TURN, Batcher
from fenjie.serve.limits import Limits, RefusedError

LIMITS = Limits()


class Worker:
    """Upper case, once it is let go; remembers its calls."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.go = Event()

    def __call__(self, texts: list[str]) -> list[str]:
        self.go.wait(10)
        self.calls.append(texts)
        if "bad" in texts:
            raise ValueError("bad")
        return [text.upper() for text in texts]


def run(test: Callable[[Batcher], Awaitable[None]], limits: Limits = LIMITS) -> None:
    async def main() -> None:
        batcher = Batcher(limits)
        batcher.start()
        await test(batcher)
        await batcher.stop()

    asyncio.run(asyncio.wait_for(main(), 30))


def test_requests_that_wait_are_done_together() -> None:
    worker, other = Worker(), Worker()
    other.go.set()

    async def test(batcher: Batcher) -> None:
        first = batcher.submit(["a"], worker)
        await asyncio.sleep(0.1)  # it has its turn
        rest = [batcher.submit([text], worker) for text in "bcd"]
        apart = batcher.submit(["e"], other)
        rest.append(batcher.submit(["f", "g"], worker))
        worker.go.set()
        assert await asyncio.gather(first, *rest) == [["A"], ["B"], ["C"], ["D"], ["F", "G"]]
        assert await apart == ["E"]

    run(test)
    assert worker.calls == [["a"], ["b", "c", "d", "f", "g"]]


def test_clients_that_are_answered_together_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batcher_module, "PAUSE", 1e6)
    monkeypatch.setattr(batcher_module, "LONGEST", 30.0)
    worker = Worker()

    async def client(batcher: Batcher, text: str, requests: int) -> None:
        for _ in range(requests):
            assert await batcher.submit([text], worker) == [text.upper()]

    async def test(batcher: Batcher) -> None:
        first = asyncio.create_task(client(batcher, "c", 4))
        await asyncio.sleep(0.1)  # it has its turn
        others = [asyncio.create_task(client(batcher, text, 3)) for text in "ab"]
        await asyncio.sleep(0)
        worker.go.set()
        await asyncio.gather(first, *others)

    run(test)
    assert list(map(sorted, worker.calls)) == [["c"]] + [["a", "b", "c"]] * 3


def test_a_large_request_lets_others_through() -> None:
    worker = Worker()
    long = "x" * TURN

    async def test(batcher: Batcher) -> None:
        large = batcher.submit([long] * 3, worker)
        await asyncio.sleep(0.1)
        small = batcher.submit(["a"], worker)
        worker.go.set()
        assert await small == ["A"]
        assert await large == [long.upper()] * 3

    run(test)
    assert [len(call) for call in worker.calls] == [1, 2, 1]


def test_only_the_request_at_fault_fails() -> None:
    worker = Worker()

    async def test(batcher: Batcher) -> None:
        first = batcher.submit(["a"], worker)
        await asyncio.sleep(0.1)
        futures = [batcher.submit([text], worker) for text in ("b", "bad", "c")]
        worker.go.set()
        assert await first == ["A"]
        found = await asyncio.gather(*futures, return_exceptions=True)
        assert found[0] == ["B"] and found[2] == ["C"]
        assert isinstance(found[1], ValueError)

    run(test)


def test_work_that_is_prepared_in_the_thread() -> None:
    worker = Worker()
    worker.go.set()

    def refuse() -> Worker:
        raise RefusedError(422, "no")

    async def test(batcher: Batcher) -> None:
        assert await batcher.submit(["a"], prepare=lambda: worker) == ["A"]
        with pytest.raises(RefusedError, match="no"):
            await batcher.submit(["a"], prepare=refuse)
        assert await batcher.submit([], worker) == []

    run(test)


def test_waiting_requests_are_bounded_in_number_and_time() -> None:
    worker = Worker()

    async def test(batcher: Batcher) -> None:
        first = batcher.submit(["a"], worker)
        await asyncio.sleep(0.1)
        waiting = [batcher.submit(["b"], worker) for _ in range(2)]
        assert len(batcher) == 2
        with pytest.raises(RefusedError, match="2 requests are waiting already") as caught:
            batcher.submit(["c"], worker)
        assert caught.value.status == 429
        for future in waiting:
            with pytest.raises(RefusedError, match=r"waited for more than 0\.2 s") as late:
                await future
            assert late.value.status == 503
        worker.go.set()
        assert await first == ["A"]
        assert await batcher.submit(["d"], worker) == ["D"]

    run(test, Limits(waiting=2, seconds=0.2))
    assert worker.calls == [["a"], ["d"]]


def test_a_stop_answers_what_was_accepted() -> None:
    worker = Worker()

    async def test(batcher: Batcher) -> None:
        futures = [batcher.submit([text], worker) for text in "abc"]
        stopped = asyncio.create_task(batcher.stop())
        await asyncio.sleep(0.1)
        with pytest.raises(RefusedError, match="stopping") as caught:
            batcher.submit(["d"], worker)
        assert caught.value.status == 503
        worker.go.set()
        await stopped
        assert await asyncio.gather(*futures) == [["A"], ["B"], ["C"]]

    run(test)


def test_nobody_waits_any_more() -> None:
    worker = Worker()

    async def test(batcher: Batcher) -> None:
        first, second = (batcher.submit([text], worker) for text in "ab")
        first.cancel()
        worker.go.set()
        assert await second == ["B"]

    run(test)
