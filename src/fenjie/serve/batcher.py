"""Requests that wait at the same time are worked on together."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple

from fenjie.serve.limits import Limits, RefusedError

TURN = 4096
"""Characters that are worked on at once, about: a larger request is done in several turns, between
which others have theirs."""

SHORT = 1024
"""Characters of a request, at most, that is worked on in the thread of the event loop. That saves
two changes of threads a turn, which take as long as a fifth of a text of 40 characters; and while
the model works on others, there is nothing to do for those who are connected but to wait."""

SWEEP = 0.25
"""Seconds between two looks at how long requests have waited."""

MANY = 8
"""After a turn of so many requests or more there is a pause for the next requests of those who were
answered. Without it many clients fall into two halves, each of which always waits for the turn of
the other; and small turns take more time a text than large ones. The clients of fewer requests are
few, or do not wait for answers before they ask again, and would only be kept waiting."""

PAUSE = 0.2
"""The length of a pause, at most: a share of the time of the turn."""

Work = Callable[[list[str]], Sequence[Any]]
"""Gives the result of each of some texts; requests with equal work are done together."""


class Job:
    """A request that waits.

    Attributes:
        prepare: makes its work when its turn has come; None once that is done.
        work: its work, as soon as it is known.
        texts: its texts.
        short: whether its work is known, and soon done.
        results: the results of the first of them.
        future: gets all results, or an exception.
        deadline: the time of the event loop at which it has waited too long for its first turn.
    """

    __slots__ = ("deadline", "future", "prepare", "results", "short", "texts", "work")

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
        self.short = work is not None and sum(map(len, texts)) <= SHORT
        self.future, self.deadline = future, deadline
        self.results: list[Any] = []


class Part(NamedTuple):
    """The texts of a job that are worked on in one turn."""

    job: Job
    texts: list[str]


Results = list[tuple[Part, list[Any] | Exception]]
"""What each part of a turn has come to."""


class Batcher:
    """Does the work of requests, those that wait at the same time together, one turn at a time.

    All of its methods are called in the thread of one event loop; there short requests are worked
    on, too, and in another thread those that would keep that one from answering for long.
    """

    def __init__(self, limits: Limits, observe: Callable[[int], None] = lambda _: None) -> None:
        """No request yet.

        Args:
            limits: the number of requests that may wait, and how long.
            observe: called with the number of texts of each turn.
        """
        self._limits, self._observe = limits, observe
        self._jobs: deque[Job] = deque()
        self._open = False
        self._free = True  # no turn is due or being taken
        self._idle = asyncio.Event()  # set when there is nothing left to do, once it is closed
        self._pause: asyncio.TimerHandle | None = None
        self._wanted = 0  # requests that end the pause
        self._sweeper: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop

    def __len__(self) -> int:
        """The number of requests that wait."""
        return len(self._jobs)

    @property
    def open(self) -> bool:
        """Whether requests are accepted."""
        return self._open

    def start(self) -> None:
        """Accept requests."""
        self._loop = asyncio.get_running_loop()
        self._open = True
        self._sweeper = self._loop.create_task(self._sweep())

    async def stop(self) -> None:
        """Answer what has been accepted, and accept no more."""
        self._open = False
        if self._pause is not None:
            self._end_pause()
        if not self._free:
            await self._idle.wait()
        if self._sweeper is not None:
            self._sweeper.cancel()

    def submit(
        self, texts: list[str], work: Work | None = None, prepare: Callable[[], Work] | None = None
    ) -> asyncio.Future[list[Any]]:
        """Let a request wait for its turn.

        Args:
            texts: its texts.
            work: its work.
            prepare: makes its work in another thread, where none is given; what it raises is the
                result.

        Returns:
            A future of the result of each text.

        Raises:
            RefusedError: 429 if too many requests wait, 503 if the service stops.
        """
        if not self._open:
            raise RefusedError(503, "the service is stopping")
        if len(self._jobs) >= self._limits.waiting:
            raise RefusedError(
                429, f"{self._limits.waiting} requests are waiting already; try again later"
            )
        future = self._loop.create_future()
        if not texts:
            future.set_result([])
            return future
        deadline = self._loop.time() + self._limits.seconds
        self._jobs.append(Job(work, prepare, texts, future, deadline))
        if self._free:
            self._free = False
            self._loop.call_soon(self._take_turn)  # after others that have arrived by now
        elif self._pause is not None and len(self._jobs) >= self._wanted:
            self._end_pause()
        return future

    async def _sweep(self) -> None:
        """Refuse requests that have waited too long; not those that have had a turn already."""
        while True:
            await asyncio.sleep(min(SWEEP, self._limits.seconds / 4))
            now = self._loop.time()
            late = [job for job in self._jobs if job.deadline < now and not job.results]
            if late:
                self._jobs = deque(job for job in self._jobs if job.deadline >= now or job.results)
            error = RefusedError(
                503, f"the request waited for more than {self._limits.seconds:g} s"
            )
            for job in late:
                _deliver(job.future, error)

    def _take_turn(self) -> None:
        """Work on the next texts, if there are any."""
        turn = self._turn()
        if not turn:
            self._free = True
            if not self._open:
                self._idle.set()
            return
        started = perf_counter()
        if all(part.job.short for part in turn):
            self._end_turn(started, _results(turn))
            return
        done = self._loop.run_in_executor(None, _results, turn)
        done.add_done_callback(lambda future: self._end_turn(started, future.result()))

    def _end_turn(self, started: float, results: Results) -> None:
        """Answer those who are done, and let the next turn follow."""
        answered = 0
        for part, found in results:
            job = part.job
            if isinstance(found, Exception):
                _deliver(job.future, found)
                continue
            job.results += found
            if len(job.results) < len(job.texts):
                self._jobs.append(job)
            else:
                _deliver(job.future, job.results)
                answered += 1
        self._observe(sum(len(part.texts) for part, _ in results))
        if answered >= MANY and self._open:
            self._wanted = len(self._jobs) + answered
            seconds = PAUSE * (perf_counter() - started)
            self._pause = self._loop.call_later(seconds, self._end_pause)
        else:  # after the answers are sent, and what has arrived is read
            self._loop.call_soon(self._loop.call_soon, self._take_turn)

    def _end_pause(self) -> None:
        assert self._pause is not None
        self._pause.cancel()
        self._pause = None
        self._loop.call_soon(self._take_turn)

    def _turn(self) -> list[Part]:
        """The next texts to be worked on together; none where none wait."""
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

    Returns:
        Their characters, and themselves.
    """
    begin = len(job.results)
    end, size = begin, 0
    while end < len(job.texts) and (end == begin or size + len(job.texts[end]) <= room):
        size += len(job.texts[end]) + 1
        end += 1
    return size, Part(job, job.texts[begin:end])


def _results(turn: Sequence[Part]) -> Results:
    """The results of each part; if the work fails, only those fail that are at fault."""
    try:
        job = turn[0].job
        if job.work is None:
            assert job.prepare is not None
            job.work, job.prepare = job.prepare(), None
        found = iter(job.work([text for part in turn for text in part.texts]))
    except Exception as error:
        if len(turn) == 1:
            return [(turn[0], error)]
        return [result for part in turn for result in _results([part])]
    return [(part, list(islice(found, len(part.texts)))) for part in turn]


def _deliver(future: asyncio.Future[list[Any]], found: list[Any] | Exception) -> None:
    """Give a future its result, unless nobody waits for it any more."""
    if future.done():
        return
    if isinstance(found, Exception):
        future.set_exception(found)
    else:
        future.set_result(found)
