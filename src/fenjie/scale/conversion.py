"""Pieces of input in, bytes of output out: in this process or by several, in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from fenjie.errors import lines_shown
from fenjie.scale.blocks import Reached
from fenjie.scale.packing import Packing, packed

if TYPE_CHECKING:
    from fenjie.runtime.annotator import Annotator

WRITTEN = 1 << 16
"""Characters that are written at once, about."""

Item = TypeVar("Item")
Items = Iterator[tuple[Item, Reached]]


class Conversion(ABC, Generic[Item]):
    """What is done with a piece of input. It can be pickled, for worker processes.

    Attributes:
        annotator: finds words or entities.
        packing: of the output.
    """

    annotator: Annotator[Any]
    packing: Packing = ""

    @abstractmethod
    def parts(self, item: Item) -> Iterable[tuple[str, Item]]:
        """The parts of an item, each with the name of its place."""

    @abstractmethod
    def pieces(self, item: Item) -> Iterator[bytes]:
        """The output of an item as bytes, packed; the same ones whatever came before."""

    def __call__(self, item: Item) -> bytes:
        """The whole output of an item."""
        return b"".join(self.pieces(item))


class TextConversion(Conversion[Item]):
    """One whose output is text.

    Attributes:
        shown: whether characters that a terminal obeys are shown.
    """

    shown: bool = False

    @abstractmethod
    def texts(self, item: Item) -> Iterator[str]:
        """The output of an item, bit by bit; a line end is not parted."""

    def pieces(self, item: Item) -> Iterator[bytes]:
        """The output of an item as bytes, packed; the same ones whatever came before."""
        texts = self.texts(item)
        if self.shown:
            texts = map(lines_shown, texts)
        return packed((text.encode() for text in _together(texts)), self.packing)


class Output(Protocol):
    """Where bytes go."""

    def write(self, data: bytes) -> None:
        """Write bytes."""

    def done(self, place: Any) -> None:
        """Take note that the output of all input before a place has been written."""


def run(
    items: Items[Item], conversion: Conversion[Item], output: Output, jobs: int
) -> Iterator[Reached]:
    """Convert input piece by piece.

    Args:
        items: the input, each piece with how far it reaches.
        conversion: what is done with it.
        output: where the results go.
        jobs: number of processes; 1 for this one alone.

    Yields:
        How far the output has come.

    Raises:
        FenjieError: the input is at fault, or two processes died of it.
    """
    results = _alone(items, conversion) if jobs == 1 else _by(jobs, items, conversion)
    empty = True
    with closing(results):
        for reached, pieces in results:
            empty = False
            for piece in pieces:
                output.write(piece)
            output.done(reached.place)
            yield reached
    if empty:
        for piece in packed((), conversion.packing):
            output.write(piece)


Results = Generator[tuple[Reached, Iterable[bytes]], None, None]


def _alone(items: Items[Item], conversion: Conversion[Item]) -> Results:
    for item, reached in items:
        yield reached, conversion.pieces(item)


def _by(jobs: int, items: Items[Item], conversion: Conversion[Item]) -> Results:
    """The results of several processes: one thread reads and submits, this one takes them.

    Where they are not all taken, that thread ends with its next item, and closes the input.
    """
    from fenjie.runtime.workers import Workers

    submitted: SimpleQueue[Reached | BaseException | None] = SimpleQueue()
    with Workers(conversion, jobs) as workers:

        def submit() -> None:
            try:
                for item, reached in items:
                    workers.submit(item)
                    submitted.put(reached)
                submitted.put(None)
            except BaseException as error:
                submitted.put(error)
            finally:
                if isinstance(items, Generator):
                    items.close()

        Thread(target=submit, daemon=True).start()
        while (reached := submitted.get()) is not None:
            if isinstance(reached, BaseException):
                raise reached
            yield reached, (next(workers.rest()),)


def _together(texts: Iterable[str]) -> Iterator[str]:
    """Texts joined, one after the other, to some of at least `WRITTEN` characters."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size >= WRITTEN:
            yield "".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield "".join(waiting)
