"""What the kinds of hostile cases have in common: numbered cases, and what became of them."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

from benchmarks.machine import peak_memory_mib
from fenjie.errors import FenjieError
from tests.hostile.watch import HUNG

SHOWN = 20
"""Number of failures of a kind that are kept."""

LONG = 200
"""Time per character is measured on texts of at least so many characters."""


@dataclass
class Outcome:
    """What became of the cases of a kind.

    Attributes:
        kind: its name.
        cases: number of cases.
        failures: number of those that failed.
        shown: the first failures, each with the number of its case.
        memory: peak memory of the processes of a case, in MiB: of those that a case starts, with
            theirs, or of this one where it starts none.
        slowest: milliseconds of CPU time per character of the slowest text; None where there are
            no texts.
        seconds: wall time of all.
    """

    kind: str
    cases: int = 0
    failures: int = 0
    shown: list[str] = field(default_factory=list)
    memory: float = 0.0
    slowest: float | None = None
    seconds: float = 0.0

    @contextmanager
    def case(self, what: object) -> Iterator[None]:
        """Count a case: it fails if the block raises, but for a `FenjieError` of one line."""
        self.cases += 1
        try:
            yield
        except FenjieError as error:
            if "\n" in str(error):
                self.fail(what, f"more than one line: {error!r}")
        except Exception as error:
            self.fail(what, f"{type(error).__name__}: {error}")

    def fail(self, what: object, why: str) -> None:
        """Count a failure."""
        self.failures += 1
        if len(self.shown) < SHOWN:
            self.shown.append(f"{what}: {why[:300]!r}")

    def took(self, seconds: float, characters: int) -> None:
        """Take down the CPU time that a text took."""
        if characters >= LONG:
            self.slowest = max(self.slowest or 0.0, 1000 * seconds / characters)


def chance(kind: str, seed: int, number: int) -> random.Random:
    """The source of one case, which can so be made again alone."""
    return random.Random(f"{kind} {seed} {number}")


def measured(kind: str, work: Callable[[Outcome], None]) -> Outcome:
    """Run the cases of a kind."""
    outcome = Outcome(kind)
    start = time.monotonic()
    try:
        work(outcome)
    except Exception as error:
        outcome.fail("outside of a case", f"{type(error).__name__}: {error}")
    outcome.seconds = time.monotonic() - start
    outcome.memory = outcome.memory or peak_memory_mib()  # where cases did not say their own
    return outcome


def isolated(
    outcome: Outcome, numbers: Iterable[int], one: Callable[[Outcome, int], None], limit: int = 120
) -> None:
    """Run cases in processes of their own, a new one after each that dies or takes too long.

    Args:
        outcome: where to count.
        numbers: of the cases.
        one: runs a case.
        limit: seconds of CPU time that a case may take.
    """
    left = list(numbers)
    while left:
        read, write = os.pipe()
        if not (child := os.fork()):
            os.close(read)
            _child(outcome.kind, left, one, limit, write)
        os.close(write)
        done = 0
        with open(read, encoding="utf-8") as lines:
            for line in lines:
                cases, failures, shown, memory = json.loads(line)
                outcome.memory = max(outcome.memory, memory)
                outcome.cases += cases
                outcome.failures += failures
                outcome.shown += shown[: SHOWN - len(outcome.shown)]
                done += 1
        _, status = os.waitpid(child, 0)
        if done < len(left):
            outcome.cases += 1
            outcome.fail(left[done], f"the process ended with status {status} (14, 27: too slow)")
        left = left[done + 1 :]


def _child(
    kind: str, numbers: list[int], one: Callable[[Outcome, int], None], limit: int, write: int
) -> NoReturn:
    for alarm in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(alarm, signal.SIG_DFL)
    with open(write, "w", encoding="utf-8") as lines, open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
        for number in numbers:
            signal.setitimer(signal.ITIMER_PROF, limit)
            signal.alarm(HUNG)
            own = measured(kind, lambda outcome, number=number: one(outcome, number))  # type: ignore[misc]
            lines.write(json.dumps([own.cases, own.failures, own.shown, own.memory]) + "\n")
            lines.flush()
    os._exit(0)
