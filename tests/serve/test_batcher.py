"""Requests that wait together are done together; none is lost, none waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from threading import Event, Thread, current_thread

import pytest

from fenjie.serve import batcher as batcher_module
from fenjie.serve.batcher import MANY, SHORT, TURN, Batcher
from fenjie.serve.limits import Limits, RefusedError

LIMITS = Limits()
LONG = "l" * (SHORT + 1)
"""A text that is worked on in another thread, so that others come meanwhile."""


class Worker:
    """Upper case; long texts wait until they are let go. Remembers its calls."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.threads: set[Thread] = set()
        self.go = Event()

    def __call__(self, texts: list[str]) -> list[str]:
        if max(map(len, texts)) > SHORT:
            assert self.go.wait(10)
        self.threads.add(current_thread())
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

    async def test(batcher: Batcher) -> None:
        first = batcher.submit([LONG], worker)
        await asyncio.sleep(0.1)  # it has its turn
        rest = [batcher.submit([text], worker) for text in "bcd"]
        apart = batcher.submit(["e"], other)
        rest.append(batcher.submit(["f", "g"], worker))
        worker.go.set()
        assert await asyncio.gather(*rest) == [["B"], ["C"], ["D"], ["F", "G"]]
        assert (await first, await apart) == ([LONG.upper()], ["E"])

    run(test)
    assert worker.calls == [[LONG], ["b", "c", "d", "f", "g"]]


def test_only_long_requests_change_threads() -> None:
    worker, observed = Worker(), list[int]()

    async def main() -> None:
        batcher = Batcher(LIMITS, observed.append)
        batcher.start()
        await asyncio.gather(*(batcher.submit([text] * 2, worker) for text in "ab"))
        assert worker.threads == {current_thread()}
        worker.go.set()
        await batcher.submit([LONG], worker)
        assert len(worker.threads) == 2
        await batcher.stop()

    asyncio.run(main())
    assert observed == [4, 1]


def test_many_clients_that_are_answered_together_stay_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batcher_module, "PAUSE", 1e9)
    worker = Worker()

    async def client(batcher: Batcher, number: int) -> None:
        for _ in range(4):
            await asyncio.sleep(0.001 * number)  # they do not ask again at the same moment
            assert await batcher.submit([str(number)], worker) == [str(number)]

    async def test(batcher: Batcher) -> None:
        first = batcher.submit([LONG], worker)
        clients = [asyncio.create_task(client(batcher, number)) for number in range(MANY)]
        await asyncio.sleep(0.2)
        worker.go.set()
        await asyncio.gather(first, *clients)

    run(test)
    assert [len(call) for call in worker.calls] == [1] + [MANY] * 4


def test_after_few_requests_nobody_waits_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batcher_module, "PAUSE", 1e9)
    worker = Worker()

    async def test(batcher: Batcher) -> None:
        await asyncio.gather(*(batcher.submit(["a"], worker) for _ in range(MANY - 1)))
        assert await batcher.submit(["b"], worker) == ["B"]

    run(test)


def test_a_large_request_lets_others_through() -> None:
    worker = Worker()
    long = "x" * TURN

    async def test(batcher: Batcher) -> None:
        large = batcher.submit([long] * 3, worker)
        await asyncio.sleep(0.1)
        small = batcher.submit(["a"], worker)
        worker.go.set()
        assert await small == ["A"] and not large.done()
        assert await large == [long.upper()] * 3

    run(test)
    assert [len(call) for call in worker.calls] == [1, 2, 1]


@pytest.mark.parametrize("long", [False, True])
def test_only_the_request_at_fault_fails(long: bool) -> None:
    worker = Worker()
    worker.go.set()

    async def test(batcher: Batcher) -> None:
        last = LONG if long else "c"
        futures = [batcher.submit([text], worker) for text in ("b", "bad", last)]
        found = await asyncio.gather(*futures, return_exceptions=True)
        assert found[0] == ["B"] and found[2] == [last.upper()]
        assert isinstance(found[1], ValueError)

    run(test)


def test_work_that_is_prepared_in_another_thread() -> None:
    worker = Worker()

    def prepare() -> Worker:
        assert current_thread() is not here
        return worker

    def refuse() -> Worker:
        raise RefusedError(422, "no")

    async def test(batcher: Batcher) -> None:
        assert await batcher.submit(["a"], prepare=prepare) == ["A"]
        with pytest.raises(RefusedError, match="no"):
            await batcher.submit(["a"], prepare=refuse)
        assert await batcher.submit([], worker) == []

    here = current_thread()
    run(test)


def test_waiting_requests_are_bounded_in_number_and_time() -> None:
    worker = Worker()

    async def test(batcher: Batcher) -> None:
        first = batcher.submit([LONG], worker)
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
        assert await first == [LONG.upper()]
        assert await batcher.submit(["d"], worker) == ["D"]

    run(test, Limits(waiting=2, seconds=0.2))
    assert worker.calls == [[LONG], ["d"]]


def test_a_request_that_has_had_a_turn_is_never_late() -> None:
    worker, other = Worker(), Worker()
    long = "x" * TURN
    worker.go.set()

    async def test(batcher: Batcher) -> None:
        first = batcher.submit([long] * 2, worker)
        waiting = batcher.submit([LONG], other)
        late = batcher.submit(["c"], Worker())
        with pytest.raises(RefusedError, match="waited for more than"):
            await late
        other.go.set()
        assert await waiting == [LONG.upper()]
        assert await first == [long.upper()] * 2

    run(test, Limits(seconds=0.2))
    assert len(worker.calls) == 2


def test_a_stop_answers_what_was_accepted() -> None:
    worker = Worker()

    async def test(batcher: Batcher) -> None:
        futures = [batcher.submit([text], worker) for text in ("a", LONG, "c")]
        stopped = asyncio.create_task(batcher.stop())
        await asyncio.sleep(0.1)
        with pytest.raises(RefusedError, match="stopping") as caught:
            batcher.submit(["d"], worker)
        assert caught.value.status == 503
        worker.go.set()
        await stopped
        assert await asyncio.gather(*futures) == [["A"], [LONG.upper()], ["C"]]

    run(test)


def test_nobody_waits_any_more() -> None:
    worker = Worker()

    async def test(batcher: Batcher) -> None:
        first, second = (batcher.submit([text], worker) for text in "ab")
        first.cancel()
        assert await second == ["B"]

    run(test)
