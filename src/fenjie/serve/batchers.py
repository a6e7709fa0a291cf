"""Requests with a long text apart from all others, which therefore do not wait for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from fenjie.serve.batcher import TURN, Batcher, Work
from fenjie.serve.limits import Limits


class Batchers:
    """Two batchers, of which one does the requests that have a text of more than a turn.

    A text is not parted, so one of 100,000 characters takes as long as 25 turns. It is worked on in
    a thread of its own, and turns of the other requests are taken meanwhile.
    """

    def __init__(self, limits: Limits, observe: Callable[[int], None] = lambda _: None) -> None:
        """No request yet.

        Args:
            limits: the number of requests that may wait in each, and how long.
            observe: called with the number of texts of each turn.
        """
        self._usual, self._long = Batcher(limits, observe), Batcher(limits, observe)

    def __len__(self) -> int:
        """The number of requests that wait."""
        return len(self._usual) + len(self._long)

    @property
    def open(self) -> bool:
        """Whether requests are accepted."""
        return self._usual.open

    def start(self) -> None:
        """Accept requests."""
        self._usual.start()
        self._long.start()

    async def stop(self) -> None:
        """Answer what has been accepted, and accept no more."""
        await asyncio.gather(self._usual.stop(), self._long.stop())

    def submit(
        self, texts: list[str], work: Work | None = None, prepare: Callable[[], Work] | None = None
    ) -> asyncio.Future[list[Any]]:
        """Let a request wait for its turn; the arguments and errors are those of `Batcher`."""
        batcher = self._long if max(map(len, texts), default=0) > TURN else self._usual
        return batcher.submit(texts, work, prepare)
