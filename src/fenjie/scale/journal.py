"""The journal of a run: what it is, and how far it has come, safe against a stop at any moment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fenjie.errors import FenjieError, FileError
from fenjie.files import flush

NAME = "journal.jsonl"

Conditions = Mapping[str, str]
"""What a run depends on: names and values, in the words that tell users of a difference."""


class Journal:
    """A file of JSON lines: first the conditions of a run, then each state that it reached.

    A line counts when it is whole. A line is on the disk before `note` returns, so what it tells
    must be there before.

    Attributes:
        state: the last state; None where the run begins.
    """

    def __init__(self, folder: Path, conditions: Conditions) -> None:
        """Begin a journal in a folder, or go on with the one that lies there.

        Args:
            folder: the folder, which exists.
            conditions: of the run.

        Raises:
            FenjieError: the run was begun under other conditions; all differences are named.
            OSError: the file system refuses.
        """
        self._path = folder / NAME
        first, *states = _whole_lines(self._path) or [None]
        self.state: Any = states[-1] if states else None
        if first is None:
            self._begin(conditions)
        elif first != conditions:
            raise FenjieError(
                f"{folder}: begun with {_differences(first, conditions)}; without this folder a "
                f"run begins anew"
            )

    def _begin(self, conditions: Conditions) -> None:
        made = self._path.with_suffix(".new")
        with open(made, "wb") as file:
            file.write(_line(conditions))
            file.flush()
            os.fsync(file.fileno())
        made.replace(self._path)
        flush(self._path.parent)

    def note(self, state: Any) -> None:
        """Write down a state, at once and for good."""
        with open(self._path, "ab") as file:
            file.write(_line(state))
            file.flush()
            os.fsync(file.fileno())


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def _whole_lines(path: Path) -> list[Any]:
    """The lines that are whole; what follows, a line that was being written, is cut off."""
    if not path.exists():
        return []
    content = path.read_bytes()
    size = content.rfind(b"\n") + 1
    if size < len(content):
        os.truncate(path, size)
    try:
        return [json.loads(line) for line in content[:size].splitlines()]
    except ValueError as error:
        raise FileError(path, "is damaged", expected="to be removed, to begin anew") from error


def _differences(first: Any, conditions: Conditions) -> str:
    """What a run was begun with, as far as it is not so now."""
    found = first if isinstance(first, dict) else {}
    names = [name for name in {**found, **conditions} if found.get(name) != conditions.get(name)]
    return " and ".join(
        f"{name} {found.get(name, 'none')} (now {conditions.get(name, 'none')})" for name in names
    )
