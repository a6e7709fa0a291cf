"""Work shared among processes: results in order, bounded memory, dead processes replaced.

Each worker is a Python process of its own, started by its executable and not by a fork: so it does
not matter which threads and locks the program has, nor whether it can be imported. It gets the work
once, pickled, and loads what the work names (a model) by itself; files that are memory-mapped are
thus shared. A worker ends when its parent does, however that ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Lock, Semaphore
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from fenjie.errors import FenjieError, shorten
from fenjie.runtime.worker import receive, send

AHEAD = 4
"""Number of items per worker, at most, that are under way or wait for an earlier one."""

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""Environment variables that bound the threads of numerical libraries. They are 1 for workers where
they are not set: several processes share the cores already."""

Item = TypeVar("Item")
Given = TypeVar("Given", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Work(Protocol[Given, Result]):
    """A function of one item, which can be pickled."""

    def __call__(self, item: Given, /) -> Result:
        """The result of an item, in a worker."""

    def parts(self, item: Any, /) -> Iterable[tuple[str, Any]]:
        """The parts of an item, each with its name, to find the one of which a worker dies."""


def ordered(work: Work[Item, Result], items: Iterable[Item], number: int) -> Iterator[Result]:
    """The result of each item, in order, by so many processes.

    Items are taken, in the thread of the caller, as workers become free: memory does not grow with
    their number.

    Raises:
        FenjieError: an item ended two workers, or the work raises it.
    """
    with Workers(work, number) as workers:
        for item in items:
            workers.submit(item)
            yield from workers.done()
        yield from workers.rest()


class Workers(Generic[Item, Result]):
    """Processes that do the same work on items.

    One thread may submit while another one takes the results. Leaving the `with` block ends the
    processes at once, and the wait of a thread that submits.
    """

    def __init__(self, work: Work[Item, Result], number: int) -> None:
        """Take the work; a process starts when an item waits and none is free.

        Args:
            work: what to do with an item.
            number: of processes, at most; no more than the machine has processors are started.

        Raises:
            FenjieError: the number is no positive integer.
        """
        if type(number) is not int or number < 1:
            raise FenjieError(f"workers must be at least 1; found {shorten(number)}")
        number = min(number, os.cpu_count() or 1)
        self._work, self._number = work, number
        self._pickled = pickle.dumps(work, protocol=5)
        self._alive: set[_Process] = set()
        self._idle: SimpleQueue[_Process] = SimpleQueue()
        self._threads = ThreadPoolExecutor(number, thread_name_prefix="fenjie-worker")
        self._under_way: deque[Future[Result]] = deque()
        self._free = Semaphore(AHEAD * number)
        self._ended, self._lock = Event(), Lock()

    def __enter__(self) -> Workers[Item, Result]:
        """The workers themselves."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all processes, busy or not."""
        with self._lock:
            self._ended.set()
        self._free.release()
        for process in tuple(self._alive):
            process.end()
        self._threads.shutdown(wait=True, cancel_futures=True)

    @property
    def pids(self) -> list[int]:
        """The process ids."""
        return [process.pid for process in tuple(self._alive)]

    def submit(self, item: Item) -> None:
        """Give an item to the next free worker; waits while `AHEAD` items per worker are open.

        Raises:
            FenjieError: the workers have been ended, perhaps meanwhile.
        """
        self._free.acquire()
        with self._lock:
            if self._ended.is_set():
                self._free.release()  # for the next one
                raise _ended()
            self._under_way.append(self._threads.submit(self._result, item))

    def done(self) -> Iterator[Result]:
        """The next results, in order, that are there; the first is waited for if need be.

        It is waited for where no more items can be submitted until it is taken.
        """
        while self._under_way and (
            self._under_way[0].done() or len(self._under_way) >= AHEAD * self._number
        ):
            yield self._take()

    def rest(self) -> Iterator[Result]:
        """The results of all items that were submitted, in order."""
        while self._under_way:
            yield self._take()

    def _take(self) -> Result:
        try:
            return self._under_way.popleft().result()
        finally:
            self._free.release()

    def _result(self, item: Item) -> Result:
        """The result of an item, by a worker, and by a new one if that dies."""
        message = pickle.dumps(item, protocol=5)
        process = self._idle_one()
        try:
            try:
                return process.ask(message)  # type: ignore[no-any-return]
            except _DiedError:
                process = self._replaced(process)
            try:
                return process.ask(message)  # type: ignore[no-any-return]
            except _DiedError as died:
                process = self._replaced(process)
                reason = str(died)
            for name, part in self._work.parts(item):
                try:
                    process.ask(pickle.dumps(part, protocol=5))
                except _DiedError as died:
                    process = self._replaced(process)
                    raise FenjieError(f"{name}: a process died of it, {died}") from died
            names = [name for name, _ in self._work.parts(item)]
            raise FenjieError(f"{names[0]} to {names[-1]}: two processes died of them, {reason}")
        finally:
            self._idle.put(process)

    def _idle_one(self) -> _Process:
        """A process that is free, or a new one: there are no more threads than processes."""
        try:
            return self._idle.get_nowait()
        except Empty:
            return self._started()

    def _replaced(self, dead: _Process) -> _Process:
        dead.end()
        self._alive.discard(dead)
        return self._started()

    def _started(self) -> _Process:
        """A new process.

        Raises:
            FenjieError: the workers have been ended.
        """
        if self._ended.is_set():
            raise _ended()
        process = _Process(self._pickled)
        self._alive.add(process)
        if self._ended.is_set():  # meanwhile: nobody else would end this one
            process.end()
        return process


def _ended() -> FenjieError:
    return FenjieError("the workers have been ended")


class _DiedError(Exception):
    """A process ended before it answered."""


class _Process:
    """A worker process, seen from its parent."""

    def __init__(self, work: bytes) -> None:
        """Start it.

        Args:
            work: what it does, pickled.
        """
        path = [str(entry) for entry in sys.path]
        code = f"import sys; sys.path[:] = {path!r}; from fenjie.runtime.worker import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**dict.fromkeys(THREADS, "1"), **os.environ},
            # Ctrl-C in a terminal reaches the parent alone, which ends its workers.
            process_group=0 if os.name == "posix" else None,
        )
        self._work: bytes | None = work

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, message: bytes) -> Any:
        """The result of an item.

        Raises:
            _DiedError: the process has ended.
        """
        if self._work is not None:
            self._exchange(self._work)
            self._work = None
        return self._exchange(message)

    def _exchange(self, message: bytes) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            send(self._process.stdin, message)  # type: ignore[arg-type]
            answer = receive(self._process.stdout)  # type: ignore[arg-type]
        except (OSError, EOFError, ValueError) as error:
            raise _DiedError(_ending(self._process.wait())) from error
        well, result = pickle.loads(answer)
        if not well:
            raise result
        return result

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):  # the rest of a message can no longer be written
                pipe.close()


def _ending(code: int) -> str:
    """How a process ended, by its exit code."""
    if code == -getattr(signal, "SIGKILL", 9):
        return "killed (by the system, if memory ran out)"
    if code < 0:
        name = signal.Signals(-code).name if -code in list(signal.Signals) else -code
        return f"by signal {name}"  # those for real time have no name
    return f"with exit code {code}"
