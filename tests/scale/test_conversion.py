"""Conversion by several processes; the rest is tested with the commands that convert."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from fenjie.runtime.workers import AHEAD
from fenjie.scale.blocks import Reached
from fenjie.scale.conversion import Conversion, run


class Doubled(Conversion[int]):
    """Writes twice a number."""

    def parts(self, item: int) -> Iterable[tuple[str, int]]:
        """The number."""
        return [(str(item), item)]

    def pieces(self, item: int) -> Iterator[bytes]:
        """Twice the number."""
        yield b"%d\n" % (2 * item)


class Output(io.BytesIO):
    """Keeps what is written, and how far it reaches."""

    place = -1

    def done(self, place: Any) -> None:
        """Take note of a place."""
        self.place = place


class Input:
    """Numbers, from a generator that tells when it is closed."""

    def __init__(self, number: int) -> None:
        self.number, self.taken, self.closed = number, 0, threading.Event()

    def items(self) -> Iterator[tuple[int, Reached]]:
        """The numbers, each with its place."""
        try:
            for each in range(self.number):
                self.taken += 1
                yield each, Reached(each, 0, 0)
        finally:
            self.closed.set()


def test_the_output_comes_in_order() -> None:
    for jobs in 1, 2:
        given, output = Input(20), Output()
        places = [reached.place for reached in run(given.items(), Doubled(), output, jobs)]
        assert places == list(range(20)) and output.place == 19
        assert output.getvalue() == b"".join(b"%d\n" % (2 * number) for number in range(20))


def test_the_input_is_closed_where_the_output_is_not_all_taken() -> None:
    given = Input(1000)
    items, before = given.items(), threading.active_count()
    converting = run(items, Doubled(), Output(), 2)
    next(converting)
    converting.close()
    assert given.closed.wait(30)
    assert given.taken <= 2 * AHEAD + 3
    for thread in threading.enumerate()[before:]:
        thread.join(30)
    assert threading.active_count() <= before
