"""The weights of a model folder, and a small copy of them for other models to start from.

`model.safetensors` holds all weights in full. `start.safetensors` is for models that are shipped
without it: large matrices as int8 with a scale for each row (`NAME.scale`), all else as float16.
It has no table of words, which `words.npy` has, nor that of bigrams where `model.onnx` has it as
int8.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from fenjie.errors import FileError
from fenjie.lexicon.number_types import quantised
from fenjie.runtime.checksums import renewed
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.model_files import ONNX, START, WEIGHTS

WORDS = "embedding.words."
"""The weights of the words that a model was trained on; no file has the words' names."""

BIGRAMS = ("embedding.bigrams.weight", "embedding.bigrams.fixed")
"""The trained and the fixed rows of the table of bigrams."""

_LARGE = 1 << 14
_SHORT = 8
_SCALE = ".scale"


def read_weights(folder: ModelFolder) -> dict[str, Tensor]:
    """The weights of a model by name, in full or from the small copy; without those of words.

    Raises:
        FileError: the folder has neither, or the file is damaged.
    """
    path = folder.path / WEIGHTS
    if not path.is_file():
        path = folder.path / START
    if not path.is_file():
        raise FileError(
            folder.path, "the model has no weights to start from", expected=f"{WEIGHTS} or {START}"
        )
    try:
        tensors = load(path.read_bytes())
    except (SafetensorError, OSError) as error:
        raise FileError(path, f"is damaged: {error}") from error
    full = restored(tensors)
    if path.name == START and BIGRAMS[0] not in full:
        full |= exported_bigrams(folder)
    return {name: t for name, t in full.items() if not name.startswith(WORDS)}


def write_start(folder: ModelFolder) -> int:
    """Write the small copy into a model folder, and seal the folder anew.

    Returns:
        Its size in bytes.

    Raises:
        FileError: the folder has no weights, or they are damaged.
    """
    folder.file(WEIGHTS)
    weights = read_weights(folder)
    tables = exported_bigrams(folder)
    if tables and all(_alike(table, weights[name]) for name, table in tables.items()):
        for name in tables:
            del weights[name]
    data = save(compact(weights), {"format": "pt"})
    with renewed(folder.path) as new:
        (new / START).write_bytes(data)
    return len(data)


def exported_bigrams(folder: ModelFolder) -> dict[str, Tensor]:
    """The table of bigrams as `model.onnx` has it; nothing where it has none as int8."""
    sizes = _bigram_sizes(folder)
    if sizes is None or not (folder.path / ONNX).is_file():
        return {}
    trained, fixed, dim = sizes
    values = {value.name: value for value in onnx.load(folder.path / ONNX).graph.initializer}
    for name, value in values.items():
        scale = values.get(name.removesuffix(".int8") + _SCALE)
        if [*value.dims] == [trained + fixed, dim] and name.endswith(".int8") and scale is not None:
            rows = numpy_helper.to_array(value) * numpy_helper.to_array(scale)
            table = torch.from_numpy(rows.astype(np.float32))
            parts = zip(BIGRAMS, (table[:trained], table[trained:].half()), strict=True)
            return {name: rows for name, rows in parts if len(rows)}
    return {}


def _bigram_sizes(folder: ModelFolder) -> tuple[int, int, int] | None:
    """The trained and the fixed rows of a model's table of bigrams, and their size."""
    if folder.config["task"] == "ner":
        sizes = folder.config.get("input", {}).get("bigrams")
        return tuple(sizes) if sizes else None
    dim, pairs = folder.config.get("model", {}).get("bigram_dim"), folder.indexer.bigrams
    return None if dim is None or pairs is None else (len(pairs), 0, dim)


def compact(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights in fewer bits."""
    small = {}
    for name, tensor in tensors.items():
        if tensor.dim() == 2 and tensor.numel() >= _LARGE and tensor.shape[1] >= _SHORT:
            rows, scale = quantised(tensor.float().numpy())
            small[name] = torch.from_numpy(rows)
            small[name + _SCALE] = torch.from_numpy(scale)
        else:
            small[name] = tensor.half()
    return small


def _alike(rounded: Tensor, full: Tensor) -> bool:
    """Whether rows differ by no more than int8 does."""
    step = rounded.float().abs().amax(1, keepdim=True) / 127
    return bool(((rounded.float() - full.float()).abs() <= step).all())


def restored(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights that `compact` made small; others as they are."""
    full = {}
    for name, tensor in tensors.items():
        if name.endswith(_SCALE) and name.removesuffix(_SCALE) in tensors:
            continue
        scale = tensors.get(name + _SCALE)
        full[name] = tensor if scale is None else tensor.float() * scale[:, None]
    return full
