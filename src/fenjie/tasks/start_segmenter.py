"""A trained segmenter from which another one learns on: what it reads, and its weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from fenjie.errors import FenjieError, FileError
from fenjie.lexicon.indexer import Indexer
from fenjie.recipe.recipe import Recipe
from fenjie.runtime.folder import CONFIG, ModelFolder
from fenjie.tasks.start import open_folder
from fenjie.tasks.weights import read_weights


class StartSegmenter:
    """The vocabularies, lexicons and weights of a segmenter, all of which the new one takes.

    Attributes:
        indexer: reads texts as that segmenter does.
    """

    def __init__(self, recipe: Recipe, standards: Iterable[str | None]) -> None:
        """Open the model that a recipe names under `start`.

        Args:
            recipe: its architecture, [text] and [model] must be those of that model.
            standards: by which the training files are cut; None for the model's default.

        Raises:
            FenjieError: there is no such model, or it is not of words, of this kind and of these
                standards.
        """
        self.name = recipe.training.start or ""
        folder = open_folder(self.name)
        if folder.config["task"] != "segment":
            raise FileError(
                folder.path / CONFIG,
                "a segmenter starts from one of its kind",
                found=folder.config["task"],
                expected="segment",
            )
        for place, expected, found in _differences(folder, recipe):
            raise FenjieError(
                f"start: {place} is not that of {self.name}; found {found}, expected {expected}"
            )
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
            reason = " ".join(str(error).split())[:200]
            raise FileError(self._path, f"not the weights of this model: {reason}") from error
        return f"starts from {self.name}: its vocabulary, lexicons and {len(self._weights)} weights"


def _differences(folder: ModelFolder, recipe: Recipe) -> Iterator[tuple[str, object, object]]:
    """Where a recipe differs from a model: the setting, the model's value, the recipe's."""
    config = folder.config
    if config["architecture"] != recipe.architecture:
        yield "architecture", config["architecture"], recipe.architecture
    yield from _settings("text", config.get("text", {}), asdict(recipe.text))
    yield from _settings("model", config.get("model", {}), asdict(recipe.model))


def _settings(
    table: str, expected: Mapping[str, Any], found: Mapping[str, Any]
) -> Iterator[tuple[str, object, object]]:
    """The settings of a table that differ, but for dropout, which is the recipe's own."""
    for name, value in expected.items():
        own = list(found[name]) if isinstance(found.get(name), tuple) else found.get(name)
        if isinstance(value, Mapping) and isinstance(own, Mapping):
            yield from _settings(f"{table}.{name}", value, own)
        elif own != value and not name.endswith("dropout"):
            yield f"[{table}] {name}", value, own
