"""A disk that is full again and again while a run that can be resumed writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fenjie.scale.resumable import Resumable


@contextmanager
def full_disk(every: int) -> Iterator[list[object]]:
    """Where each so many a piece of output is refused; gives the places of all that were tried."""
    tried: list[object] = []
    done = Resumable.done

    def flaky(self: Resumable, place: object) -> None:
        tried.append(place)
        if len(tried) % every == 0:
            raise OSError(28, os.strerror(28))
        done(self, place)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Resumable, "done", flaky)
        yield tried
