"""What is said of a long run that a signal has stopped."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def resumable() -> Iterator[None]:
    """Say how to go on where the run made here is stopped."""
    try:
        yield
    except SystemExit:
        if os.environ.get("RANK", "0") == "0":  # one of several processes speaks
            typer.echo("fenjie: stopped; the same command goes on with --resume", err=True)
        raise
