"""A long text keeps no other request waiting."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from fenjie.serve.batcher import TURN
from fenjie.serve.batchers import Batchers
from fenjie.serve.limits import Limits, RefusedError

LONG = "l" * (TURN + 1)


class Worker:
    """Upper case; texts longer than a turn wait until they are let go."""

    def __init__(self) -> None:
        self.go = Event()

    def __call__(self, texts: list[str]) -> list[str]:
        if max(map(len, texts)) > TURN:
            assert self.go.wait(10)
        return [text.upper() for text in texts]


def test_others_are_answered_while_a_long_text_is_worked_on() -> None:
    worker, observed = Worker(), list[int]()

    async def main() -> None:
        batchers = Batchers(Limits(), observed.append)
        batchers.start()
        long = [batchers.submit(texts, worker) for texts in ([LONG], ["a", LONG])]
        others = [["b"], ["c" * TURN] * 2, []]
        for texts in others:
            assert await batchers.submit(texts, worker) == [text.upper() for text in texts]
        assert await batchers.submit(["d"], prepare=lambda: worker) == ["D"]
        assert len(batchers) == 1 and not any(future.done() for future in long)  # one has its turn
        worker.go.set()
        assert await asyncio.gather(*long) == [[LONG.upper()], ["A", LONG.upper()]]
        await batchers.stop()

    asyncio.run(asyncio.wait_for(main(), 30))
    assert sum(observed) == 7


def test_a_stop_answers_both_kinds() -> None:
    worker = Worker()

    async def main() -> None:
        batchers = Batchers(Limits())
        batchers.start()
        futures = [batchers.submit([text], worker) for text in (LONG, "a")]
        stopped = asyncio.create_task(batchers.stop())
        await asyncio.sleep(0.1)
        assert not batchers.open and not stopped.done()
        for text in (LONG, "b"):
            with pytest.raises(RefusedError, match="stopping"):
                batchers.submit([text], worker)
        worker.go.set()
        await stopped
        assert await asyncio.gather(*futures) == [[LONG.upper()], ["A"]]

    asyncio.run(asyncio.wait_for(main(), 30))


def test_each_kind_may_wait_in_the_same_number() -> None:
    worker = Worker()

    async def main() -> None:
        batchers = Batchers(Limits(waiting=1))
        batchers.start()
        long = batchers.submit([LONG], worker)
        await asyncio.sleep(0.1)  # it has its turn
        more = batchers.submit([LONG], worker)
        with pytest.raises(RefusedError, match="1 requests are waiting already"):
            batchers.submit([LONG], worker)
        assert await batchers.submit(["a"], worker) == ["A"]
        worker.go.set()
        await asyncio.gather(long, more)
        await batchers.stop()

    asyncio.run(asyncio.wait_for(main(), 30))
