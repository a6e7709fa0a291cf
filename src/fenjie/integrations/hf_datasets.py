"""Columns for tables of texts: `dataset.map(Words(), batched=True)` of Hugging Face's datasets.

A batch is a mapping of columns, as `datasets` and Ray Data have it; neither package is imported,
but for the types of a column that `features` gives.
The functions can be pickled, and are the same to the cache of `datasets` as long as model and user
words are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar

from fenjie.errors import FenjieError, shorten
from fenjie.runtime.load import DEFAULT, ENTITIES, load_entity_tagger, load_segmenter
from fenjie.runtime.load import Words as UserWords

Batch = Mapping[str, Sequence[Any]]


class Column(ABC):
    """Adds a column that is made from one of texts.

    Attributes:
        column: the column of texts.
        into: the column that is added.
    """

    default: ClassVar[str]

    def __init__(
        self,
        column: str = "text",
        into: str | None = None,
        *,
        model: str | PathLike[str] | None = None,
        words: UserWords = (),
        threads: int = 1,
    ) -> None:
        """Load the model.

        Args:
            column: the column of texts.
            into: the column that is added; by default `words` or `entities`.
            model: a shipped model, or the path of a model folder; by default `segment` for words,
                `ner` for entities.
            words: user words, those for entities with their labels, or the path of a file of them.
            threads: number of threads that one call may use.
        """
        self.column, self.into = column, into or self.default
        self._load(model, threads, words)

    def features(self, rows: Any) -> Any:
        """The columns of a data set and the one that is added, each with its type.

        `datasets` takes the types from the first batch, in which there may be no entity: then
        `rows.map(entities, batched=True, features=entities.features(rows))` tells them.

        Args:
            rows: a `datasets.Dataset`, or an `IterableDataset` that knows its columns.

        Raises:
            FenjieError: it does not know its columns.
        """
        from datasets import Features, Value

        if rows.features is None:
            raise FenjieError("the data set does not know its columns; expected one with features")
        return Features({**rows.features, self.into: self._feature(Value)})

    @abstractmethod
    def _feature(self, value: Callable[[str], Any]) -> Any:
        """The type of the column that is added, from those of its values."""

    @abstractmethod
    def _load(self, model: str | PathLike[str] | None, threads: int, words: UserWords) -> None:
        """Load the model, None being the default one."""


class Words(Column):
    """Adds a column of words: for each text a list that spells it."""

    default = "words"

    def _load(self, model: str | PathLike[str] | None, threads: int, words: UserWords) -> None:
        self.segmenter = load_segmenter(model or DEFAULT, threads=threads, words=words)

    def _feature(self, value: Callable[[str], Any]) -> Any:
        return [value("string")]

    def __call__(self, batch: Batch) -> dict[str, list[list[str]]]:
        """The words of the texts of a batch."""
        return {self.into: self.segmenter.cut(_texts(batch, self.column))}


class Entities(Column):
    """Adds a column of entities: for each text a list of text, label, start, end, confidence."""

    default = "entities"

    def _load(self, model: str | PathLike[str] | None, threads: int, words: UserWords) -> None:
        self.tagger = load_entity_tagger(model or ENTITIES, threads=threads, words=words)

    def _feature(self, value: Callable[[str], Any]) -> Any:
        kinds = {"text": "string", "label": "string", "start": "int64", "end": "int64"}
        return [{name: value(kind) for name, kind in {**kinds, "confidence": "float64"}.items()}]

    def __call__(self, batch: Batch) -> dict[str, list[list[dict[str, Any]]]]:
        """The entities of the texts of a batch."""
        sentences = self.tagger(_texts(batch, self.column))
        return {self.into: [[one._asdict() for one in each.entities] for each in sentences]}


def _texts(batch: Batch, column: str) -> list[str]:
    """The texts of a batch; None, as tables have it, is an empty one.

    Raises:
        FenjieError: it is no batch, as a table of Arrow, has no such column, or another one than of
            texts.
    """
    if not hasattr(batch, "keys"):
        expected = "columns by their names, as the formats python and numpy have them"
        raise FenjieError(f"found a {type(batch).__name__}; expected {expected}")
    if column not in batch:
        raise FenjieError(f"no column {column!r}; found {', '.join(batch) or 'none'}")
    given: Any = batch[column]
    if given is None or isinstance(given, str):
        raise FenjieError(f"column {column!r} is one text, no batch of them: map with batched=True")
    texts = ["" if text is None else text for text in given]
    for text in texts:
        if not isinstance(text, str):
            raise FenjieError(f"column {column!r} has no texts; found {shorten(text)}")
    return texts
