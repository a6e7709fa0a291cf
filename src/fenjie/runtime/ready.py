"""The shortest way to words: `load` a model by name, `cut` a text with the shipped one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from os import PathLike
from threading import Lock

from fenjie.errors import FenjieError
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.tagger import Segmenter
from fenjie.runtime.user_words import read_words

DEFAULT = "segment"
"""The shipped model that `cut` and `lcut` use."""

_TASKS = {"segment": Segmenter}
_lock = Lock()


def load(
    model: str | PathLike[str] = DEFAULT,
    *,
    threads: int = 1,
    words: str | PathLike[str] | Iterable[str] = (),
) -> Segmenter:
    """Load a model and check its files.

    Args:
        model: the name of a shipped model, or the path of a model folder.
        threads: how many threads one call may use.
        words: user words, which win over the model: a list of them, or the path of a file with a
            word a line (see `fenjie.runtime.user_words`). `tagger.words` changes them later.

    Raises:
        FenjieError: there is no such model, or a file of it is missing, truncated or altered; the
            file of user words cannot be read, or a word is empty or holds white space.
    """
    user_words = read_words(words) if isinstance(words, str | PathLike) else words
    folder = ModelFolder.open(model)
    task = str(folder.config["task"])
    if task not in _TASKS:
        raise FenjieError(f"{folder.path}: no tagger for the task {task!r}")
    tagger = _TASKS[task](folder, threads)
    tagger.words.add(user_words)
    return tagger


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
