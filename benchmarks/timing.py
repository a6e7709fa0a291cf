"""Timing within one process: CPU time, in turns, the fastest pass counts."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def fastest(work: Mapping[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """The CPU time of each, in seconds: the fastest of some passes.

    They take turns, so that a slow spell of the machine slows all of them. Garbage is collected
    between passes alone, as `timeit` does: how much there is depends on what ran before.

    Args:
        work: the functions that are timed, by name.
        repeat: passes that count; one more goes before them, to warm up.
    """
    times: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(repeat + 1):
        for name, do in work.items():
            passed = _timed(do)
            if turn:
                times[name].append(passed)
    return {name: min(each) for name, each in times.items()}


def _timed(do: Callable[[], Any]) -> float:
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        do()
        return time.process_time() - started
    finally:
        gc.enable()


def by(size: int, items: Sequence[T]) -> list[Sequence[T]]:
    """Batches of a size."""
    return [items[at : at + size] for at in range(0, len(items), size)]


def each(function: Callable[..., None], given: Sequence[tuple[Any, ...]]) -> Callable[[], None]:
    """Call a function for each."""

    def run() -> None:
        for arguments in given:
            function(*arguments)

    return run
