"""A trained model from which another one starts: its weights, taken over as far as they fit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fenjie.errors import FileError
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_vectors import WordVectors
from fenjie.recipe.recipe import MissingError, differing, locate
from fenjie.runtime.folder import ModelFolder, find, shipped
from fenjie.runtime.model_files import CONFIG
from fenjie.tasks.weights import read_weights
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import RESERVED, UNKNOWN, Vocabulary

TABLES = {"characters": "embedding.characters", "bigrams": "embedding.bigrams"}
"""The tables of units that a model may have, and the names of their weights."""

WORDS = "embedding.words.weight"
TAGS = ("output.weight", "output.bias", "crf.transition", "crf.begin", "crf.end")
"""The weights whose rows are tags, those of `crf.transition` in both directions."""

KINDS = {"ner": "a model of entities", "segment": "a segmenter"}
"""What a model of each task is called."""

Names = Sequence[str | int]
"""The names of the rows of a weight; ids below `RESERVED` stand for themselves."""


@dataclass
class Taken:
    """What a model took over from the one it starts from.

    Attributes:
        name: of that model.
        whole: the weights that fit as they are.
        rows: by weight, the rows that were found by name and their number in the new model.
        left: what was not taken over, weights for the most part, with the reason.
    """

    name: str
    whole: list[str] = field(default_factory=list)
    rows: dict[str, tuple[int, int]] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """What the user should know, in a line or two."""
        rows = (f"{found:,} of {size:,} {name}" for name, (found, size) in self.rows.items())
        parts = [f"{len(self.whole)} weights whole", *rows]
        said = f"starts from {self.name}: {', '.join(parts)}"
        left = ", ".join(f"{name} ({reason})" for name, reason in self.left.items())
        return f"{said}\nnot taken from {self.name}: {left}" if left else said


class StartModel:
    """The vocabularies, words and weights of a trained model of entities."""

    def __init__(
        self, name: str, folder: ModelFolder, text: Normaliser, labels: Mapping[str, str]
    ) -> None:
        """Read the folder of a model of entities; see `open`.

        Raises:
            FenjieError: its weights are missing or damaged, or it lacks a label.
        """
        self.name = name
        self._labels = labels
        _check_labels(labels.values(), folder.tags.labels, name)
        self._other_text = differing(vars(folder.normaliser), vars(text))
        self.words: WordVectors | None = folder.words
        self._tags: Names = folder.tags.tags
        indexer = folder.indexer
        variants = () if indexer.variants is None else indexer.variants.units
        self._folded = frozenset(pair[0] for pair in variants)
        self._units = {"characters": indexer.characters, "bigrams": indexer.bigrams}
        self._weights = read_weights(folder)

    @classmethod
    def open(cls, name: str, text: Normaliser, labels: Mapping[str, str]) -> StartModel:
        """Open a model of entities.

        Args:
            name: a shipped model by its name, the folder of a model, or that of a run.
            text: how the new model reads texts; where this one read them otherwise, `give` says so.
            labels: labels of the new model that begin from a label of another name of this one.

        Raises:
            FenjieError: there is no such model, it cannot be started from, or it lacks a label.
        """
        return cls(name, open_start(name, "ner"), text, labels)

    def table(self, name: str) -> UnitVectors | None:
        """The units of `characters` or `bigrams` with their vectors; None where there are none."""
        units, rows = self._units[name], self._whole(name)
        if units is None or rows is None:
            return None
        vectors = rows[RESERVED:].numpy()
        return UnitVectors.build(units.units, [0] * len(units.units), vectors, np.float32)

    @property
    def characters(self) -> tuple[str, ...]:
        """The characters that the model has learnt from text and does not read as others."""
        units, rows = self._units["characters"], self._weights.get(f"{TABLES['characters']}.weight")
        learnt = () if units is None or rows is None else units.units[: len(rows) - RESERVED]
        return tuple(character for character in learnt if character not in self._folded)

    def own_words(self, words: WordVectors) -> WordVectors:
        """Words with the vectors that they have in this model, as far as it knows them."""
        if self.words is None or self.words.dim != words.dim or words is self.words:
            return words
        rows = words.table.rows(self.words.table.units.names)
        known = np.flatnonzero(rows >= 0)
        table = words.table.with_rows(rows[known], self.words.table(known))
        return WordVectors(table, words.unknown)

    @torch.no_grad()
    def give(
        self,
        module: Any,
        units: Mapping[str, Vocabulary | None],
        tags: Sequence[str],
        words: int,
    ) -> Taken:
        """Overwrite the weights of a new model with those that fit.

        Args:
            module: the model; the rows of its words start from `own_words` already.
            units: the vocabularies of its tables, `characters` and `bigrams`.
            tags: the names of its tags.
            words: the number of its trained words that this model knows.

        Raises:
            FenjieError: the new model lacks a label that should begin from another one.
        """
        taken = Taken(self.name)
        if self._other_text is not None:
            taken.left["[text]"] = self._other_text
        state = dict(module.state_dict())
        for name, prefix in TABLES.items():
            parts = [state.pop(f"{prefix}.{part}", None) for part in ("weight", "fixed")]
            if parts[0] is not None and (vocabulary := units[name]) is not None:
                self._give_table(taken, name, vocabulary, parts)
        table = state.pop(WORDS)
        state.pop(WORDS.replace("weight", "fixed"))
        if self.words is not None and self.words.dim == table.shape[1]:
            table[UNKNOWN] = torch.tensor(self.words.unknown)
            taken.rows["words"] = words, len(table) - RESERVED
        elif len(table) > RESERVED:
            taken.left["words"] = "of another size" if self.words is not None else "it has none"
        self._give_tags(taken, state, tags)
        for name, weight in state.items():
            self._give_whole(taken, name, weight)
        return taken

    def _whole(self, name: str) -> Tensor | None:
        """A table of units with its fixed rows: `[units, dim]`."""
        parts = [self._weights.get(f"{TABLES[name]}.{part}") for part in ("weight", "fixed")]
        rows = [part.float() for part in parts if part is not None]
        return torch.cat(rows) if rows else None

    def _give_table(
        self, taken: Taken, name: str, vocabulary: Vocabulary, parts: Sequence[Tensor]
    ) -> None:
        """Give the trained and the fixed rows of a table those of the same units."""
        old, units = self._whole(name), self._units[name]
        if old is None or units is None or old.shape[1] != parts[0].shape[1]:
            taken.left[name] = "it has none" if old is None else "of another size"
            return
        reserved = range(RESERVED)
        new_names = [*reserved, *vocabulary.units]
        here, there = common(new_names, [*reserved, *units.units])
        trained = len(parts[0])
        for part, first in zip(parts, (0, trained), strict=True):
            inside = (first <= here) & (here < first + len(part))
            part[here[inside] - first] = old[there[inside]].to(part.dtype)
        taken.rows[name] = len(here) - RESERVED, len(new_names) - RESERVED

    def _give_tags(self, taken: Taken, state: dict[str, Tensor], tags: Sequence[str]) -> None:
        """Give the output layer and the CRF the rows of the tags that both models have."""
        parts = [tag.partition("-") for tag in tags]
        _check_labels(self._labels, {label for *_, label in parts if label}, "the training data")
        its = [first + dash + self._labels.get(label, label) for first, dash, label in parts]
        here, there = (torch.from_numpy(rows) for rows in common(its, self._tags))
        for name in TAGS:
            new, old = state.pop(name), self._weights.get(name)
            if old is None or (old.shape[1:] != new.shape[1:] and name != "crf.transition"):
                taken.left[name] = "it has none" if old is None else "of another size"
            elif name == "crf.transition":
                new[here[:, None], here] = old[there[:, None], there].float()
            else:
                new[here] = old[there].float()
        taken.rows["tags"] = len(here), len(tags)

    def _give_whole(self, taken: Taken, name: str, new: Tensor) -> None:
        old = self._weights.get(name)
        if old is None:
            taken.left[name] = "it has none"
        elif old.shape != new.shape:
            shapes = " × ".join(map(str, old.shape)), " × ".join(map(str, new.shape))
            taken.left[name] = f"{shapes[0]}, not {shapes[1]}"
        else:
            new.copy_(old)
            taken.whole.append(name)


def _check_labels(names: Iterable[str], labels: Collection[str], owner: str) -> None:
    """Raise a MissingError where `start_labels` names a label that is not there."""
    if unknown := sorted(set(names) - set(labels)):
        hint = f"expected some of {', '.join(sorted(labels))}"
        if not labels:
            hint = "it holds words, no entities"
        message = f"start_labels: {owner} has no label {unknown[0]!r}; {hint}"
        raise MissingError(message, unknown[0])


def start_folder(name: str) -> Path:
    """The folder of a shipped model by its name, of a model, or of the model of a run.

    Raises:
        FenjieError: there is no such model.
    """
    if name in shipped():
        return find(name)
    names = ", ".join(shipped())
    place = locate(name, f"neither a model that comes with fenjie ({names}) nor a folder")
    inner = place / "model"
    return inner if inner.is_dir() else place


def open_start(name: str, task: str) -> ModelFolder:
    """Open a shipped model by its name, the folder of a model, or that of a run.

    Args:
        name: its name or folder.
        task: what it must find, a key of `KINDS`.

    Raises:
        FenjieError: there is no such model, or it is of another kind.
    """
    folder = ModelFolder.open(start_folder(name))
    if (found := folder.config["task"]) != task:
        said = f"{KINDS[task]} starts from one of its kind"
        raise FileError(folder.path / CONFIG, said, found=found, expected=task)
    return folder


def common(here: Names, there: Names) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the names that two lists share stand in each: `[shared]`, `[shared]`."""
    places = {name: place for place, name in enumerate(there)}
    pairs = [(place, places[name]) for place, name in enumerate(here) if name in places]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
