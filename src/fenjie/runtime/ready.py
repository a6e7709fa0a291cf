"""The shortest way to words: `load` a model by name, `cut` a text with the shipped one."""

from __future__ import annotations

from functools import cache
from os import PathLike
from threading import Lock

from fenjie.errors import FenjieError
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.tagger import Segmenter

DEFAULT = "segment"
"""The shipped model that `cut` and `lcut` use."""

_TASKS = {"segment": Segmenter}
_lock = Lock()


def load(model: str | PathLike[str] = DEFAULT, *, threads: int = 1) -> Segmenter:
    """Load a model and check its files.

    Args:
        model: the name of a shipped model, or the path of a model folder.
        threads: how many threads one call may use.

    Raises:
        FenjieError: there is no such model, or a file of it is missing, truncated or altered.
    """
    folder = ModelFolder.open(model)
    task = str(folder.config["task"])
    if task not in _TASKS:
        raise FenjieError(f"{folder.path}: no tagger for the task {task!r}")
    return _TASKS[task](folder, threads)


def cut(text: str) -> list[str]:
    """The words of a text, by the shipped model; `"".join(cut(text)) == text`."""
    return _default().cut(text)


lcut = cut
"""The same as `cut`, under the name that users of other tools know."""


def _default() -> Segmenter:
    with _lock:
        return _load_default()


@cache
def _load_default() -> Segmenter:
    return load()
