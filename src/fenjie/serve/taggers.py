"""The models of the service, found by name and task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from fenjie.errors import FenjieError, shorten
from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.runtime.load import load
from fenjie.runtime.model_files import WEIGHTS
from fenjie.runtime.segmenter import Segmenter
from fenjie.serve.limits import RefusedError
from fenjie.serve.request_words import Label, Weight, user_words

SEGMENT, TAG = "segment", "ner"
"""The tasks, as model folders name them."""

WARM = ["王小明昨天在北京大学听了李教授的课，3.5%。"] * 64
"""Texts that are annotated before the first request, which is then no slower than others."""

Words = Sequence[str] | Mapping[str, Weight | Label]


@dataclass(frozen=True)
class Model:
    """A loaded model.

    Attributes:
        name: its name in requests.
        tagger: annotates texts.
    """

    name: str
    tagger: Segmenter | EntityTagger

    @classmethod
    def load(cls, path: str, name: str | None = None, threads: int = 1) -> Model:
        """Load a model by its name or folder, and run it once.

        Args:
            path: a shipped model, or a model folder.
            name: its name in requests; by default its own.
            threads: the number of threads that one call may use.

        Raises:
            FenjieError: it cannot be loaded.
        """
        tagger = load(path, threads=threads)
        tagger(WARM)
        return cls(name or tagger.folder.name, tagger)

    @cached_property
    def _by_standard(self) -> dict[str | None, Segmenter | EntityTagger]:
        """The tagger by each of its standards; None is its default."""
        taggers: dict[str | None, Segmenter | EntityTagger] = {None: self.tagger}
        if isinstance(self.tagger, Segmenter):
            taggers |= {name: self.tagger.by(name) for name in self.standards}
        return taggers

    @property
    def standards(self) -> list[str]:
        """The standards of words that it knows, its default first."""
        return list(self.tagger.folder.standards)

    def by(self, standard: str | None) -> Segmenter | EntityTagger:
        """The tagger that cuts words by a standard; None for its default.

        Raises:
            RefusedError: 422; the model does not know it.
        """
        if standard not in self._by_standard:
            names = ", ".join(self.standards) or "none"
            raise RefusedError(422, f"standard: no such standard; {self.name} knows {names}")
        return self._by_standard[standard]

    @property
    def task(self) -> str:
        """What it finds, as model folders name it."""
        return SEGMENT if isinstance(self.tagger, Segmenter) else TAG

    @property
    def labels(self) -> list[str]:
        """The types of entities that it knows."""
        return [] if isinstance(self.tagger, Segmenter) else list(self.tagger.labels)

    @property
    def lattice(self) -> bool:
        """Whether it is shown the words of a lexicon, as a model of entities may be."""
        return isinstance(self.tagger, EntityTagger) and self.tagger.folder.finder is not None

    @property
    def attention(self) -> bool:
        """Whether it keeps its weights, so that PyTorch can show its attention."""
        folder = self.tagger.folder
        kept = self.task == TAG and (folder.path / WEIGHTS).is_file()
        return kept and find_spec("torch") is not None

    def with_words(self, words: Words, standard: str | None = None) -> Segmenter | EntityTagger:
        """A tagger that has user words besides; this one stays as it is.

        Args:
            words: the words, or what is known of each.
            standard: as in `by`.

        Raises:
            RefusedError: 422; a word, a weight or a label is refused, or there is no such standard.
        """
        tagger = self.by(standard).copy()
        try:
            known = user_words(words)
            (tagger.words if isinstance(tagger, Segmenter) else tagger.lexicon).put(known)
        except FenjieError as error:
            raise RefusedError(422, f"words: {error}") from error
        return tagger


class Models:
    """The models of the service, in the order in which they were named."""

    def __init__(self, models: Iterable[Model]) -> None:
        """Take the models.

        Raises:
            FenjieError: there is none, or two have the same name.
        """
        self._models: dict[str, Model] = {}
        for model in models:
            self.add(model)
        if not self._models:
            raise FenjieError("no model to serve")

    @classmethod
    def load(cls, names: Iterable[str], threads: int = 1) -> Models:
        """Load models by their names or folders, and run each once.

        Args:
            names: shipped models, or model folders; `NAME=FOLDER` gives one another name.
            threads: the number of threads that one call of a model may use.

        Raises:
            FenjieError: a model cannot be loaded, or two have the same name.
        """
        return cls([Model.load(*_named(name), threads=threads) for name in names])

    def add(self, model: Model) -> None:
        """Add a model after the others; any thread may do so at any time.

        Raises:
            FenjieError: there is one of its name.
        """
        if model.name in self._models:
            other = "NAME=FOLDER gives one another name"
            raise FenjieError(f"two models are named {model.name!r}; {other}")
        self._models = {**self._models, model.name: model}

    def __contains__(self, name: object) -> bool:
        """Whether there is a model of a name."""
        return name in self._models

    def __iter__(self) -> Iterator[Model]:
        """The models."""
        return iter(self._models.values())

    def find(self, task: str, name: str | None) -> Model:
        """The model of a task that a request names, or the first one.

        Raises:
            RefusedError: 422; there is none.
        """
        for model in self._models.values():
            if model.task == task and name in (None, model.name):
                return model
        names = ", ".join(model.name for model in self if model.task == task) or "none"
        raise RefusedError(422, f"model: no such model for this; expected one of {names}")


def _named(model: str) -> tuple[str, str | None]:
    """The path of `NAME=FOLDER` and the name; what is a path itself has no name.

    Raises:
        FenjieError: nothing stands before the `=`, or nothing after it.
    """
    name, sign, path = model.partition("=")
    if not sign or Path(model).exists():
        return model, None
    if not name or not path:
        raise FenjieError(f"found {shorten(model)}; expected NAME=FOLDER")
    return path, name
