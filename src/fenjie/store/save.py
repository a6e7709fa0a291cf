"""Writes model folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from safetensors.torch import save
from torch import Tensor

from fenjie.files import atomic
from fenjie.recipe.recipe import Recipe
from fenjie.recipe.toml import dump
from fenjie.runtime.checksums import seal
from fenjie.runtime.model_config import FORMAT
from fenjie.runtime.model_files import CARD, CONFIG, ONNX, WEIGHTS
from fenjie.store.card import Origin, card
from fenjie.tasks.task import Task


def save_model(
    folder: Path,
    recipe: Recipe,
    task: Task,
    weights: Mapping[str, Tensor],
    origin: Origin,
) -> None:
    """Write a model folder, as a whole.

    Raises:
        FileError: the file system refuses; an older folder is untouched.
    """
    config = {
        "format": FORMAT,
        "name": origin.name,
        "task": recipe.task,
        "architecture": recipe.architecture,
        "text": asdict(recipe.text),
    }
    with atomic(folder) as made:
        made.mkdir()
        inputs = task.write(made)
        _write(made / CONFIG, dump(config | {"input": inputs, "model": asdict(recipe.model)}))
        (made / WEIGHTS).write_bytes(packed(weights))
        _write(made / CARD, card(recipe, origin, sum(t.numel() for t in weights.values())))
        seal(made)


def packed(weights: Mapping[str, Tensor]) -> bytes:
    """The file of weights in a model folder."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    return save(tensors, {"format": "pt"})


def holds_model(folder: Path, weights: Mapping[str, Tensor]) -> bool:
    """Whether a model folder has these weights, or none any more but an export."""
    path = folder / WEIGHTS
    if not path.is_file():
        return (folder / ONNX).is_file()
    return path.read_bytes() == packed(weights)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
