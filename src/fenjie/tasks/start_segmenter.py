"""A trained segmenter from which another one learns on: what it reads, and its weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from fenjie.errors import FileError, in_one_line
from fenjie.lexicon.indexer import Indexer
from fenjie.recipe.recipe import MissingError, Recipe, flat, tables
from fenjie.tasks.start import open_start
from fenjie.tasks.weights import read_weights


class StartSegmenter:
    """The vocabularies, lexicons and weights of a segmenter, all of which the new one takes.

    Attributes:
        indexer: reads texts as that segmenter does.
    """

    def __init__(self, name: str, recipe: Recipe, standards: Iterable[str | None]) -> None:
        """Open a model.

        Args:
            name: the model, as `open_start` takes it.
            recipe: its architecture, [text] and [model] must be those of that model.
            standards: by which the training files are cut; None for the model's default.

        Raises:
            FenjieError: there is no such model, or it is not of words, of this kind and of these
                standards.
        """
        self.name, folder = name, open_start(name, "segment")
        check_settings(name, folder.config, recipe)
        for standard in standards:
            folder.check_standard(standard)
        self.indexer: Indexer = folder.indexer
        self._weights = read_weights(folder)
        self._path = folder.path

    def give(self, module: Any) -> str:
        """Overwrite the weights of a new model with those of this one.

        Returns:
            What the user should know, in a line.

        Raises:
            FileError: the weights are not those that the model's own settings promise.
        """
        try:
            module.load_state_dict(self._weights)
        except RuntimeError as error:
            reason = f"not the weights of this model: {in_one_line(error)}"
            raise FileError(self._path, reason) from error
        return f"starts from {self.name}: its vocabulary, lexicons and {len(self._weights)} weights"


def check_settings(name: str, config: Mapping[str, Any], recipe: Recipe) -> None:
    """Refuse a recipe for another model; dropout is its own.

    Raises:
        MissingError: a setting of the model is another one in the recipe.
    """
    shared = ("architecture", "text", "model")
    ours = flat(tables(recipe))
    for key, expected in flat({table: config.get(table, {}) for table in shared}).items():
        found = ours.get(key)
        found = list(found) if isinstance(found, tuple) else found
        if found != expected and not key.endswith("dropout"):
            table, _, setting = key.rpartition(".")
            place = f"[{table}] {setting}" if table else setting
            said = f"found {json.dumps(found)}, expected {json.dumps(expected)}"
            raise MissingError(f"start: {place} is not that of {name}; {said}", setting, "start")
