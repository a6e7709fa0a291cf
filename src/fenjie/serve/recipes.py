"""Recipes for a few labelled sentences: short runs from a model, longer ones from chance."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from fenjie.recipe.toml import dump
from fenjie.runtime.folder import ModelFolder

FEW = 30
"""With fewer sentences none is held out: the model is chosen by the sentences that it learns."""

STARTED, FROM_CHANCE = 300, 1000
"""Steps from the weights of a model, and without one."""

_TRAINING = {
    "epochs": 5,
    "sentences": 16,
    "optimizer": "adam",
    "betas": [0.9, 0.99],
    "learning_rate": 1e-3,
    "schedule": "linear",
    "clip": 5.0,
}
"""As in recipes/flat.toml, but for the number of steps and what depends on it."""


class TrainingRecipe(NamedTuple):
    """A recipe.

    Attributes:
        text: its TOML.
        seen: whether it scores the sentences that it learns from.
    """

    text: str
    seen: bool


def training_recipe(path: Path, sentences: int, start: ModelFolder | None) -> TrainingRecipe:
    """Make a recipe for the sentences of a file.

    Args:
        path: the file.
        sentences: their number.
        start: the model whose weights, vocabulary and words it starts from; None for a small model
            of characters that starts from chance.
    """
    seen = sentences < FEW
    data = {"train": [str(path)], "dev": [str(path)] if seen else 0.1}
    tables: dict[str, Any] = {"task": "ner"}
    training: dict[str, Any]
    if start is None:
        training = {"steps": FROM_CHANCE, "warmup": 100, "average": 0.99}
        tables |= {
            "architecture": "flat",
            "data": data,
            "text": {"width": True},
            "model": {"dim": 64, "heads": 4, "hidden": 128, "lexicon": False},
        }
    else:
        # The weights of a model fit where its settings are the same.
        training = {"start": str(start.path.resolve()), "steps": STARTED, "warmup": 30,
                    "average": 0.98}  # fmt: skip
        tables |= {
            "architecture": start.config["architecture"],
            "data": data | {"passage": start.passage},
            "text": start.config.get("text", {}),
            "vocabulary": {
                "bigrams": 2 if start.indexer.bigrams is not None else 0,
                "variants": (start.path / "variants.txt").is_file(),
            },
            "model": start.config.get("model", {}),
        }
    return TrainingRecipe(dump(tables | {"training": _TRAINING | training}), seen)
