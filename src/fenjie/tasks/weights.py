"""The weights of a model folder, and a small copy of them for other models to start from.

`model.safetensors` holds all weights in full. `start.safetensors` is for models that are shipped
without it: large matrices as int8 with a scale for each row (`NAME.scale`), all else as float16,
and no table of words, which `words.npy` has.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from fenjie.errors import FileError
from fenjie.files import atomic
from fenjie.lexicon.units import quantised
from fenjie.runtime.folder import START, WEIGHTS, ModelFolder, seal

WORDS = "embedding.words."
"""The weights of the words that a model was trained on; no file has the words' names."""

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
    return {name: t for name, t in restored(tensors).items() if not name.startswith(WORDS)}


def write_start(folder: ModelFolder) -> int:
    """Write the small copy into a model folder, and seal the folder anew.

    Returns:
        Its size in bytes.

    Raises:
        FileError: the folder has no weights, or they are damaged.
    """
    folder.file(WEIGHTS)
    data = save(compact(read_weights(folder)), {"format": "pt"})
    with atomic(folder.path / START) as made:
        made.write_bytes(data)
    seal(folder.path)
    return len(data)


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


def restored(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights that `compact` made small; others as they are."""
    full = {}
    for name, tensor in tensors.items():
        if name.endswith(_SCALE) and name.removesuffix(_SCALE) in tensors:
            continue
        scale = tensors.get(name + _SCALE)
        full[name] = tensor if scale is None else tensor.float() * scale[:, None]
    return full
