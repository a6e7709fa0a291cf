"""All that the golden tests take from inside of `fenjie`.

A module that moves or gets another name is followed here, and nowhere else in this folder. What
the tests of this folder see of the package besides is its public face, `fenjie.load`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import fenjie
from fenjie.errors import FenjieError
from fenjie.export import export
from fenjie.lexicon.units import UnitVectors
from fenjie.nn.encoders.lattice_lstm import LatticeLstm
from fenjie.recipe.named import NAMES
from fenjie.recipe.recipe import load, loads
from fenjie.recipe.toml import dump
from fenjie.runtime.folder import ModelFolder
from fenjie.store.load import predict
from fenjie.store.save import Origin, save_model
from fenjie.tasks.batches import Batches
from fenjie.tasks.make import make_task
from tests.tiny_encoder import tiny_encoder

CPU = torch.device("cpu")

__all__ = [
    "NAMES",
    "FenjieError",
    "by_torch",
    "dump",
    "exported",
    "load",
    "loads",
    "make_task",
    "orthogonal",
    "task_batches",
    "tiny_encoder",
    "write_folder",
    "write_vectors",
]


def write_vectors(folder: Path, name: str, units: list[str], rows: NDArray[np.float64]) -> None:
    """Write one table of a folder of vectors; units are the rarer the later they come."""
    counts = [3 * (len(units) - place) for place in range(len(units))]
    UnitVectors.build(units, counts, rows).save(folder, name)


def task_batches(task: Any, recipe: Any) -> list[tuple[Any, torch.Tensor]]:
    """The batches of the first two epochs, as the training loop makes them."""
    settings = recipe.training
    batches = Batches(task.lengths, settings.tokens, settings.seed, settings.sentences)
    plan = [*batches.epoch(0), *batches.epoch(1)]
    return [
        task.batch(indices, np.random.default_rng([settings.seed, step, 0, 1]))
        for step, indices in enumerate(plan, 1)
    ]


def write_folder(folder: Path, task: Any, recipe: Any) -> None:
    """Write the model of a task as training does."""
    task.module.eval()
    origin = Origin("golden", "", 1, 1, 0.0, 1, "", dev=task.dev(CPU), test={})
    save_model(folder, recipe, task, task.module.state_dict(), origin)


def orthogonal(module: Any) -> set[str]:
    """The names of the weights that start as orthogonal matrices."""
    return {
        f"{name}.{one}.weight"
        for name, part in module.named_modules()
        if isinstance(part, LatticeLstm)
        for one in ("characters", "words")
    }


def by_torch(folder: Path, texts: list[str]) -> list[Any]:
    """The sentences that the model of a folder finds, without an export."""
    return predict(ModelFolder.open(folder), texts)


def exported(folder: Path, texts: list[str]) -> Callable[..., Any]:
    """Export the model of a folder and open it as a user does.

    Args:
        folder: the model.
        texts: on which the export is compared with PyTorch.

    Returns:
        What tags texts.
    """
    export(folder, texts=texts)
    return fenjie.load(folder)
