"""Checkpoints: one safetensors file with all that a run needs to go on, replaced whole."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from fenjie.errors import FileError
from fenjie.files import atomic

FORMAT = 2


@dataclass(frozen=True)
class Checkpoint:
    """The content of a checkpoint.

    Attributes:
        tensors: by group (as `model`, `optimizer`, `average`) and name.
        state: everything else, as JSON holds it.
    """

    tensors: dict[str, dict[str, Tensor]]
    state: dict[str, Any]


def write(path: Path, tensors: Mapping[str, Mapping[str, Tensor]], state: Any = None) -> None:
    """Write groups of tensors and a state into one file. A kill leaves the old file or the new.

    Raises:
        FileError: the file system refuses; an older file is untouched.
    """
    flat = {name: tensor.detach().cpu().contiguous() for name, tensor in _flat(tensors).items()}
    said = json.dumps(state)
    checksum = _checksum(flat, said)
    data = save(flat, {"format": str(FORMAT), "state": said, "sha256": checksum})
    with atomic(path) as temporary:
        temporary.write_bytes(data)


def read(path: Path) -> Checkpoint:
    """Read what `write` wrote.

    Raises:
        FileError: the file is missing, truncated, altered or of another version.
    """
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            flat = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no dict)
    except SafetensorError as error:
        raise FileError(path, f"is damaged: {error}") from error
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or error}") from error
    if metadata.get("format") != str(FORMAT):
        raise FileError(
            path, "is no checkpoint", found=metadata.get("format"), expected=f"format {FORMAT}"
        )
    said = metadata.get("state", "")
    if metadata.get("sha256") != _checksum(flat, said):
        raise FileError(path, "is damaged: its checksum is wrong")
    return Checkpoint(_grouped(flat), json.loads(said))


def _flat(groups: Mapping[Any, Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """Tensors by group and name under one key each."""
    return {f"{group}/{name}": t for group, part in groups.items() for name, t in part.items()}


def _grouped(flat: Mapping[str, Tensor]) -> dict[str, dict[str, Tensor]]:
    """The inverse of `_flat`."""
    groups: dict[str, dict[str, Tensor]] = {}
    for key, tensor in flat.items():
        group, _, name = key.partition("/")
        groups.setdefault(group, {})[name] = tensor
    return groups


def _checksum(tensors: Mapping[str, Tensor], state: str) -> str:
    """The SHA-256 of names, types, shapes and values of tensors, and of a state."""
    digest = hashlib.sha256(state.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\0{name} {tensor.dtype} {tuple(tensor.shape)}\0".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The state of an optimiser whose state is tensors alone, as Adam's."""
    return _flat(optimizer.state_dict()["state"])


def load_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Give an optimiser the state that `optimizer_tensors` gave."""
    state = {int(index): part for index, part in _grouped(tensors).items()}
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})


def random_state() -> dict[str, Any]:
    """The states of the generators of Python, numpy and torch (CPU, and this process's GPU)."""
    kind, keys, *rest = np.random.get_state(legacy=True)
    state = {
        "python": random.getstate(),
        "numpy": [str(kind), np.asarray(keys).tolist(), *rest],
        "torch": torch.get_rng_state().tolist(),
    }
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state().tolist()
    return state


def set_random_state(state: Mapping[str, Any]) -> None:
    """Put the generators where `random_state` found them."""
    version, keys, gauss = state["python"]
    random.setstate((version, tuple(keys), gauss))
    kind, numbers, *rest = state["numpy"]
    np.random.set_state((kind, np.array(numbers, dtype=np.uint32), *rest))
    torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state(torch.tensor(state["cuda"], dtype=torch.uint8))


def seed_everything(seed: int) -> None:
    """Seed the generators of Python, numpy and torch."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
