"""Requests that wait at the same time are worked on together, by one thread."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import accumulate
from threading import Condition, Thread
from time import perf_counter
from typing import Any, NamedTuple

from fenjie.serve.limits import Limits, RefusedError

TURN = 4096
"""Characters that are worked on at once, about: a larger request is done in several turns, between
which others have theirs."""

SWEEP = 0.25
"""Seconds between two looks at how long requests have waited."""

PAUSE = 0.1
"""How long the thread waits after a turn for the next requests of those who were answered, at most:
a share of the time of the turn, about as long as the event loop takes to send the answers. Without
it many clients fall into two halves, each of which always waits for the turn of the other."""

LONGEST = 0.003
"""Seconds of a pause, at most."""

Work = Callable[[list[str]], Sequence[Any]]
"""Gives the result of each of some texts; requests with equal work are done together."""


class Job:
    """A request that waits.

    Attributes:
        prepare: makes its work when its turn has come; None once that is done.
        work: its work, as soon as it is known.
        texts: its texts.
        results: the results of the first of them.
        future: gets all results, or an exception.
        deadline: the time of the event loop at which it has waited too long.
    """

    __slots__ = ("deadline", "future", "prepare", "results", "texts", "work")

    def __init__(
        self,
        work: Work | None,
        prepare: Callable[[], Work] | None,
        texts: list[str],
        future: asyncio.Future[list[Any]],
        deadline: float,
    ) -> None:
        """Take a request without results."""
        self.work, self.prepare, self.texts = work, prepare, texts
        self.future, self.deadline = future, deadline
        self.results: list[Any] = []


class Part(NamedTuple):
    """The texts of a job that are worked on in one turn."""

    job: Job
    texts: list[str]


class Batcher:
    """Does the work of requests in one thread, those that wait at the same time together.

    All of its methods are called in the thread of one event loop.
    """

    def __init__(self, limits: Limits, observe: Callable[[int], None] = lambda _: None) -> None:
        """No request yet.

        Args:
            limits: the number of requests that may wait, and how long.
            observe: called with the number of texts of each turn.
        """
        self._limits, self._observe = limits, observe
        self._jobs: deque[Job] = deque()
        self._ready = Condition()
        self._closed = False
        self._wanted = 1  # requests that wake the thread
        self._thread: Thread | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop

    def __len__(self) -> int:
        """The number of requests that wait."""
        return len(self._jobs)

    @property
    def open(self) -> bool:
        """Whether requests are accepted."""
        return self._thread is not None and self._thread.is_alive() and not self._closed

    def start(self) -> None:
        """Start the thread."""
        self._loop = asyncio.get_running_loop()
        self._thread = Thread(target=self._run, name="fenjie-batcher", daemon=True)
        self._thread.start()
        self._sweeper = self._loop.create_task(self._sweep())

    async def stop(self) -> None:
        """Answer what has been accepted, then end the thread."""
        with self._ready:
            self._closed = True
            self._ready.notify()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)
        if self._sweeper is not None:
            self._sweeper.cancel()

    def submit(
        self, texts: list[str], work: Work | None = None, prepare: Callable[[], Work] | None = None
    ) -> asyncio.Future[list[Any]]:
        """Let a request wait for its turn.

        Args:
            texts: its texts.
            work: its work.
            prepare: makes its work in the thread, where none is given; what it raises is the
                result.

        Returns:
            A future of the result of each text.

        Raises:
            RefusedError: 429 if too many requests wait, 503 if the service stops.
        """
        if not self.open:
            raise RefusedError(503, "the service is stopping")
        if len(self._jobs) >= self._limits.waiting:
            raise RefusedError(
                429, f"{self._limits.waiting} requests are waiting already; try again later"
            )
        future = self._loop.create_future()
        if not texts:
            future.set_result([])
            return future
        job = Job(work, prepare, texts, future, self._loop.time() + self._limits.seconds)
        with self._ready:
            self._jobs.append(job)
            if len(self._jobs) >= self._wanted:
                self._ready.notify()
        return future

    async def _sweep(self) -> None:
        """Refuse requests that have waited too long."""
        while True:
            await asyncio.sleep(min(SWEEP, self._limits.seconds / 4))
            now = self._loop.time()
            with self._ready:
                late = [job for job in self._jobs if job.deadline < now]
                if late:
                    self._jobs = deque(job for job in self._jobs if job.deadline >= now)
            message = f"the request waited for more than {self._limits.seconds:g} s"
            _deliver((job.future, RefusedError(503, message)) for job in late)

    def _run(self) -> None:
        """Take turns until the end."""
        while turn := self._turn():
            started = perf_counter()
            done: list[tuple[asyncio.Future[list[Any]], list[Any] | Exception]] = []
            for part, found in _results(turn):
                if isinstance(found, Exception):
                    done.append((part.job.future, found))
                    continue
                part.job.results += found
                if len(part.job.results) == len(part.job.texts):
                    done.append((part.job.future, part.job.results))
                else:
                    with self._ready:
                        self._jobs.append(part.job)
            self._observe(sum(len(part.texts) for part in turn))
            with suppress(RuntimeError):  # a second signal has closed the loop
                self._loop.call_soon_threadsafe(_deliver, done)
            if done:
                self._pause(len(done), min(LONGEST, PAUSE * (perf_counter() - started)))

    def _pause(self, answered: int, seconds: float) -> None:
        """Wait until those who were answered have asked again, but for no longer than this."""
        with self._ready:
            if not self._closed and not self._enough():
                self._wanted = len(self._jobs) + answered
                self._ready.wait(seconds)
                self._wanted = 1

    def _enough(self) -> bool:
        """Whether a whole turn waits."""
        sizes = accumulate(sum(map(len, job.texts)) for job in self._jobs)
        return any(size >= TURN for size in sizes)

    def _turn(self) -> list[Part]:
        """The next texts to be worked on together; none at the end."""
        with self._ready:
            while not self._jobs and not self._closed:
                self._ready.wait()
            if not self._jobs:
                return []
            first = self._jobs.popleft()
            size, part = _part(first, TURN)
            turn = [part]
            if first.work is None:
                return turn
            others: deque[Job] = deque()
            while self._jobs and size < TURN:
                job = self._jobs.popleft()
                if job.work != first.work:
                    others.append(job)
                    continue
                more, part = _part(job, TURN - size)
                size += more
                turn.append(part)
            self._jobs.extendleft(reversed(others))
            return turn


def _part(job: Job, room: int) -> tuple[int, Part]:
    """The next texts of a job that together have some characters, at least one text.

    Args:
        job: the job.
        room: the number of characters.

    Returns:
        The number of characters, and the texts.
    """
    begin = len(job.results)
    end, size = begin, 0
    while end < len(job.texts) and (end == begin or size + len(job.texts[end]) <= room):
        size += len(job.texts[end]) + 1
        end += 1
    return size, Part(job, job.texts[begin:end])


def _results(turn: Sequence[Part]) -> Iterable[tuple[Part, list[Any] | Exception]]:
    """The results of each part; if the work fails, only those fail that are at fault."""
    try:
        job = turn[0].job
        if job.work is None:
            assert job.prepare is not None
            job.work, job.prepare = job.prepare(), None
        found = list(job.work([text for part in turn for text in part.texts]))
    except Exception as error:
        if len(turn) == 1:
            return [(turn[0], error)]
        return [result for part in turn for result in _results([part])]
    results = []
    for part in turn:
        results.append((part, found[: len(part.texts)]))
        found = found[len(part.texts) :]
    return results


def _deliver(
    done: Iterable[tuple[asyncio.Future[list[Any]], list[Any] | Exception]],
) -> None:
    """Give futures their results, those that nobody waits for any more left out."""
    for future, found in done:
        if future.done():
            continue
        if isinstance(found, Exception):
            future.set_exception(found)
        else:
            future.set_result(found)
