"""The shortest way to words: `load` a model by name, `cut` a text with the shipped one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from os import PathLike
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, overload

from fenjie.errors import FenjieError
from fenjie.runtime import hub
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.segmenter import Segmenter
from fenjie.runtime.words.user_word_files import read_words
from fenjie.runtime.words.user_words import listed

if TYPE_CHECKING:
    from fenjie.runtime.entity_tagger import EntityTagger

DEFAULT = "segment"
"""The shipped model that `cut` and `lcut` use."""

FAST = "segment-fast"
"""The shipped model of words that numpy alone runs."""

ENTITIES = "ner"
"""The shipped model of named entities."""

_lock = Lock()

Words = str | PathLike[str] | Iterable[str] | Mapping[str, Any]
"""User words: the path of a file, or the words themselves; for a segmenter perhaps with weights,
for a tagger of entities with labels."""


@overload
def load(
    model: Literal["segment", "segment-fast"] = "segment",
    *,
    threads: int = 1,
    words: Words = (),
    standard: str | None = None,
    force: bool = False,
) -> Segmenter: ...


@overload
def load(
    model: Literal["ner", "ner-small"],
    *,
    threads: int = 1,
    words: Words = (),
    force: bool = False,
) -> EntityTagger: ...


@overload
def load(
    model: str | PathLike[str],
    *,
    threads: int = 1,
    words: Words = (),
    revision: str | None = None,
    standard: str | None = None,
    force: bool = False,
) -> Segmenter | EntityTagger: ...


def load(
    model: str | PathLike[str] = DEFAULT,
    *,
    threads: int = 1,
    words: Words = (),
    revision: str | None = None,
    standard: str | None = None,
    force: bool = False,
) -> Segmenter | EntityTagger:
    """Load a model and check its files.

    Args:
        model: the name of a shipped model, the path of a model folder, or `hf:owner/name`, a model
            on Hugging Face's hub, which is fetched once and then read from the cache.
        threads: the number of threads that one call may use.
        words: user words: a list of them, or the path of a file with a word a line. To a segmenter
            each is a word that it prefers (see `fenjie.runtime.words.user_words`; `tagger.words`
            changes them later). A tagger of entities sees them among the characters; one with a
            label, after it in its line or in a mapping, is an entity that it prefers (see
            `fenjie.runtime.words.entity_words`; `tagger.lexicon` changes them later).
        revision: the branch, tag or commit of a model on the hub; `hf:owner/name@revision` says the
            same wherever a model is named.
        standard: the standard by which words are cut, of a segmenter that knows several, such as
            `msr`; None for the model's default.
        force: whether these words, for a tagger of entities those with labels, are found wherever
            they occur, against the model.

    Returns:
        What the model is for: a segmenter or a tagger of entities.

    Raises:
        FenjieError: there is no such model, it cannot be fetched, or a file of it is missing,
            truncated or altered; the file of user words cannot be read, or a word or a label is
            refused; the model does not know the standard.
    """
    folder = ModelFolder.open(model if revision is None else hub.with_revision(model, revision))
    task = str(folder.config["task"])
    if folder.finds_words:
        return _segmenter(folder, threads, words, standard, force)
    if task == "ner":
        folder.check_standard(standard)
        return _entity_tagger(folder, threads, words, force)
    raise FenjieError(f"{folder.path}: no tagger for the task {task!r}")


def load_segmenter(
    model: str | PathLike[str] = DEFAULT,
    *,
    threads: int = 1,
    words: Words = (),
    standard: str | None = None,
    force: bool = False,
) -> Segmenter:
    """`load`, for a model that finds words.

    Raises:
        FenjieError: as `load`, or the model has another task.
    """
    folder = ModelFolder.open(model)
    if not folder.finds_words:
        raise _another_task(folder, "segment")
    return _segmenter(folder, threads, words, standard, force)


def load_entity_tagger(
    model: str | PathLike[str] = ENTITIES,
    *,
    threads: int = 1,
    words: Words = (),
    force: bool = False,
) -> EntityTagger:
    """`load`, for a model that finds entities.

    Raises:
        FenjieError: as `load`, or the model has another task.
    """
    folder = ModelFolder.open(model)
    if folder.finds_words or folder.config["task"] != "ner":
        raise _another_task(folder, "ner")
    return _entity_tagger(folder, threads, words, force)


def _another_task(folder: ModelFolder, expected: str) -> FenjieError:
    found = "segment" if folder.finds_words else folder.config["task"]
    command = {"segment": "fenjie segment", "ner": "fenjie tag"}.get(found)
    hint = f"; {command} and fenjie.load take it" if command else ""
    what = f"a model for the task {found!r}; expected {expected!r}{hint}"
    return FenjieError(f"{folder.path}: {what}")


def _segmenter(
    folder: ModelFolder, threads: int, words: Words, standard: str | None, force: bool
) -> Segmenter:
    tagger = Segmenter(folder, threads, standard)
    if isinstance(words, str | PathLike):
        tagger.words.put(read_words(words, force))
    else:
        tagger.words.add(words, force=force)
    return tagger


def _entity_tagger(folder: ModelFolder, threads: int, words: Words, force: bool) -> EntityTagger:
    from fenjie.runtime.entity_tagger import EntityTagger

    tagger = EntityTagger(folder, threads)
    if isinstance(words, str | PathLike):
        tagger.lexicon.read(words, force=force)
    else:
        labels = words if isinstance(words, Mapping) else dict.fromkeys(listed(words))
        tagger.lexicon.update(labels, force=force)
    return tagger


@overload
def cut(text: str) -> list[str]: ...  # type: ignore[overload-overlap]


@overload
def cut(text: Iterable[str]) -> list[list[str]]: ...


def cut(text: str | Iterable[str]) -> list[str] | list[list[str]]:
    """The words of a text or of several, by the shipped model; `"".join(cut(text)) == text`."""
    return _default().cut(text)


lcut = cut
"""Alias of `cut`, under the name that users of other tools know."""


def _default() -> Segmenter:
    with _lock:
        return _load_default()


@cache
def _load_default() -> Segmenter:
    return load_segmenter()
