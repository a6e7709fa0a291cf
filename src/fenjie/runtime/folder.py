"""A model folder: where it is, its settings, and what its files hold."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, FileError, shorten
from fenjie.files import read_lines
from fenjie.lexicon.arrays import open_array
from fenjie.runtime import hub
from fenjie.runtime.checksums import verify
from fenjie.runtime.linear import LinearGaps
from fenjie.runtime.model_config import read_config
from fenjie.runtime.model_files import (
    CHECKSUMS,
    CONFIG,
    FILES,
    LABELS,
    ONNX,
    TOKENIZER,
    TRANSITIONS,
    WORDS,
)
from fenjie.text.normalise import Normaliser
from fenjie.text.span import WORD
from fenjie.text.split import PASSAGE

if TYPE_CHECKING:  # what a model does not need is not imported for it
    from fenjie.lexicon.indexer import Indexer
    from fenjie.lexicon.matching import Finder
    from fenjie.lexicon.word_pieces import PieceTokenizer
    from fenjie.lexicon.word_vectors import WordVectors
    from fenjie.text.tags import TagSet

LINEAR = "linear"
"""The architecture that numpy alone runs."""

SHIPPED = Path(__file__).parent.parent / "shipped"
"""Where the models lie that come with the package, a folder each."""


def shipped() -> list[str]:
    """The names of the models that come with the package."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{CONFIG}"))


def find(name: str | PathLike[str]) -> Path:
    """The folder of a model: a shipped one or one of the hub by its name, else the path itself.

    Raises:
        FenjieError: there is no such model.
    """
    if not isinstance(name, str | PathLike) or name == "":
        raise FenjieError(f"found {shorten(name)}; expected the name or the folder of a model")
    if name in shipped():
        return SHIPPED / name
    if isinstance(name, str) and hub.is_on_hub(name):
        return hub.fetch(name, (CHECKSUMS, *FILES))
    try:
        return _at(Path(name))
    except OSError as error:
        raise FenjieError(f"no model {shorten(name)}: {error.strerror or error}") from error


def _at(path: Path) -> Path:
    """The model folder at a path."""
    if path.is_dir():
        if not (path / CONFIG).exists() and (inner := path / "model" / CONFIG).exists():
            raise FileError(path, "is a run, not a model", expected=f"{inner.parent}")
        return path
    if path.exists():
        raise FileError(path, "is not a folder", expected="a model folder")
    names = ", ".join(shipped()) or "none"
    raise FenjieError(f"no model {str(path)!r}: neither a folder nor a shipped model ({names})")


@dataclass(frozen=True)
class ModelFolder:
    """A checked model folder.

    Attributes:
        path: where it lies.
        config: its config.toml.
        fingerprint: the SHA-256 of its checksums: another model, another fingerprint.
    """

    path: Path
    config: Mapping[str, Any]
    fingerprint: str

    @classmethod
    def open(cls, path: str | PathLike[str]) -> ModelFolder:
        """Open a folder and compare every file with its checksum.

        Args:
            path: the folder, or the name of a shipped model or of one on the hub.

        Raises:
            FenjieError: there is no such model.
            FileError: a file is missing, truncated or altered, or the settings are not those of a
                model that this version can read.
        """
        folder = find(path)
        fingerprint = verify(folder)
        return cls(folder, read_config(folder / CONFIG), fingerprint)

    def __copy__(self) -> ModelFolder:
        """A shallow copy, of which no file is read again."""
        other = object.__new__(ModelFolder)
        vars(other).update(vars(self))
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process opens the folder by itself; arrays are memory-mapped there too.

        A shipped model goes by its name: on another machine the package may lie elsewhere.
        """
        path = self.path.resolve()
        is_shipped = path.parent == SHIPPED.resolve()
        return _opened, (path.name if is_shipped else str(path), self.fingerprint)

    @property
    def name(self) -> str:
        """The name of the model."""
        return str(self.config["name"])

    @property
    def tags_words(self) -> bool:
        """Whether the model tags words as others tag entities: `WORD` is all that it finds."""
        return bool(self.config["task"] == "ner" and self.tags.labels == (WORD,))

    @property
    def finds_words(self) -> bool:
        """Whether it is a model for words, and not for entities."""
        return bool(self.config["task"] == "segment" or self.tags_words)

    @property
    def keeps_unsplittable(self) -> bool:
        """Whether numbers, Latin words, addresses and grapheme clusters are kept whole."""
        return bool(self.config.get("segment", {}).get("atoms", True))

    @property
    def doubt(self) -> float:
        """The log-odds below which words that the model knows go before others; 0 for never."""
        return float(self.config.get("segment", {}).get("doubt", 0))

    @cached_property
    def indexer(self) -> Indexer:
        """The indexer of the model."""
        from fenjie.lexicon.indexer import Indexer

        ngrams = self.config.get("input", {}).get("ngrams", 0)
        return Indexer.load(self.path, ngrams, self.standards)

    @property
    def standards(self) -> tuple[str, ...]:
        """The standards of words that the model knows, its default first; mostly none is named."""
        return tuple(self.config.get("input", {}).get("standards", ()))

    def check_standard(self, name: str | None) -> None:
        """Refuse a standard that the model does not know; None, its default, it always knows.

        Raises:
            FenjieError: there is no such standard.
        """
        if name is None or name in self.standards:
            return
        known = " or ".join(self.standards) or "none, since the model has but one, without a name"
        raise FenjieError(f"{self.path}: no standard {name!r}; expected {known}")

    @property
    def is_linear(self) -> bool:
        """Whether the model is a `LinearGaps`, which needs no ONNX Runtime."""
        return bool(self.config["architecture"] == LINEAR)

    @cached_property
    def linear(self) -> LinearGaps:
        """The weights of a linear model.

        Raises:
            FileError: a file is missing or damaged, or the settings lack its sizes.
        """
        settings = self.config.get("input", {})
        for key in ("rows", "unit"):
            if key not in settings:
                raise FileError(self.path / CONFIG, f"[input] {key} is missing")
        if self.normaliser.compatibility or self.normaliser.simplify:
            raise FileError(self.path / CONFIG, f"[text] has what a {LINEAR} model cannot do")
        return LinearGaps.open(self.path, settings["rows"], settings["unit"])

    @cached_property
    def words(self) -> WordVectors | None:
        """The words that a model of lattices reads, and their vectors; None where it reads none.

        Raises:
            FileError: a file of them is missing or damaged.
        """
        from fenjie.lexicon.word_vectors import WordVectors

        return WordVectors.open(self.path) if (self.path / WORDS[0]).exists() else None

    @cached_property
    def finder(self) -> Finder | None:
        """The matcher of the words of `words`; None where the model reads none."""
        from fenjie.lexicon.word_vectors import EveryWord

        if self.words is None:
            return None
        every = self.config.get("input", {}).get("singles", False)
        return EveryWord(self.words) if every else self.words.lexicon

    def copy(self) -> ModelFolder:
        """The same model with words of its own, to which words can be added."""
        return copy(self) if self.words is None else self.with_words(self.words.copy())

    def with_words(self, words: WordVectors) -> ModelFolder:
        """The same model with its words in another form; no file is written."""
        from fenjie.lexicon.word_vectors import EveryWord

        other, finder = copy(self), self.finder
        finder = finder.of(words) if isinstance(finder, EveryWord) else words.lexicon
        vars(other).update(words=words, finder=finder)
        return other

    @cached_property
    def pieces(self) -> PieceTokenizer | None:
        """The tokenizer of the encoder; None where the model has no encoder.

        Raises:
            FileError: the tokenizer is missing or damaged.
            FenjieError: the package `tokenizers` is not installed.
        """
        from fenjie.lexicon.word_pieces import PieceTokenizer

        max_positions = self.config.get("input", {}).get("room")
        return (
            None
            if max_positions is None
            else PieceTokenizer.open(self.file(TOKENIZER), max_positions)
        )

    @cached_property
    def tags(self) -> TagSet:
        """The tags of a model of named entities.

        Raises:
            FileError: its labels are missing, empty or repeated.
        """
        from fenjie.text.tags import TagSet

        labels = [line for _, line in read_lines(self.file(LABELS))]
        try:
            return TagSet(labels)
        except FenjieError as error:
            raise FileError(self.path / LABELS, str(error)) from error

    @cached_property
    def transitions(self) -> NDArray[np.float32]:
        """The table of its CRF, `[tags + 2, tags]`; see `fenjie.runtime.decoding.crf`.

        Raises:
            FileError: it is missing or does not fit the tags.
        """
        path, size = self.file(TRANSITIONS), len(self.tags)
        table = open_array(path, "the table of a CRF")
        if table.shape != (size + 2, size) or table.dtype != np.float32:
            found, expected = f"{table.dtype} {table.shape}", f"float32 {(size + 2, size)}"
            raise FileError(path, f"does not fit {LABELS}", found=found, expected=expected)
        if np.isnan(table).any() or table.max(initial=0) == np.inf:
            raise FileError(path, "holds a number that is neither finite nor -inf")
        return np.array(table)

    @cached_property
    def normaliser(self) -> Normaliser:
        """The normalisation of a text before it is indexed."""
        return Normaliser(**self.config.get("text", {}))

    @property
    def passage(self) -> int:
        """Characters that a model of entities reads at once where the text allows it."""
        return int(self.config.get("input", {}).get("passage", PASSAGE))

    def file(self, name: str) -> Path:
        """The path of one of its files.

        Raises:
            FileError: the folder has no such file.
        """
        path = self.path / name
        if not path.is_file():
            hint = "; `fenjie export` makes it" if name == ONNX else ""
            raise FileError(path, f"the model has no such file{hint}")
        return path


def _opened(path: str, fingerprint: str) -> ModelFolder:
    """The folder that another process has opened.

    Raises:
        FileError: it holds another model now.
    """
    folder = ModelFolder.open(path)
    if folder.fingerprint != fingerprint:
        raise FileError(path, "the model has changed since it was loaded")
    return folder
