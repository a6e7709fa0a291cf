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
        tensors: by group (`model`, `optimizer`, `average`, `random`) and name.
        state: everything else, as JSON holds it.
    """

    tensors: dict[str, dict[str, Tensor]]
    state: dict[str, Any]


def write(path: Path, tensors: Mapping[str, Mapping[str, Tensor]], state: Any = None) -> None:
    """Write groups of tensors and a state into one file. A kill leaves the old file or the new.

    Raises:
        FileError: the file system refuses; an older file is untouched.
    """
    flat = {
        f"{group}/{name}": tensor.detach().cpu().contiguous()
        for group, part in tensors.items()
        for name, tensor in part.items()
    }
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
    tensors: dict[str, dict[str, Tensor]] = {}
    for name, tensor in flat.items():
        group, _, rest = name.partition("/")
        tensors.setdefault(group, {})[rest] = tensor
    return Checkpoint(tensors, json.loads(said))


def _checksum(tensors: Mapping[str, Tensor], state: str) -> str:
    """The SHA-256 of names, types, shapes and values of tensors, and of a state."""
    digest = hashlib.sha256(state.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\0{name} {tensor.dtype} {tuple(tensor.shape)}\0".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The state of an optimiser whose state is tensors alone, as Adam's."""
    state = optimizer.state_dict()["state"]
    return {
        f"{index}/{name}": value for index, part in state.items() for name, value in part.items()
    }


def load_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Give an optimiser the state that `optimizer_tensors` gave."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        index, _, name = key.partition("/")
        state.setdefault(int(index), {})[name] = value
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
