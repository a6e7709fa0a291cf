"""Checkpoints: what was written comes back, and a damaged byte is noticed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch

from fenjie.errors import FileError
from fenjie.training import checkpoints

TENSORS = {
    "model": {
        "weight": torch.arange(12.0).reshape(3, 4),
        "half": torch.arange(5).to(torch.bfloat16),
        "one": torch.tensor(3.0, dtype=torch.float64),
        "none": torch.zeros(0, 2),
        "places": torch.arange(7),
    },
    "average": {},
}
STATE = {"epoch": 1, "best": {"f1": 0.1 + 0.2}, "loss": 1e-300}


def test_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    checkpoints.write(path, TENSORS, STATE)
    found = checkpoints.read(path)
    assert found.state == STATE
    assert found.tensors.keys() == {"model"}
    for name, tensor in TENSORS["model"].items():
        assert torch.equal(found.tensors["model"][name], tensor)


def test_any_damage_is_noticed(tmp_path: Path) -> None:
    """A flipped bit anywhere, a cut anywhere; nothing but spaces of the header may change."""
    path, chance = tmp_path / "a.safetensors", random.Random(0)
    checkpoints.write(path, TENSORS, STATE)
    whole = path.read_bytes()
    for place in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(FileError, match=r"a\.safetensors: (is damaged|is no checkpoint)") as e:
            checkpoints.read(path)
        assert "\n" not in str(e.value)
    for size in range(0, len(whole), 50):
        path.write_bytes(whole[:size])
        with pytest.raises(FileError, match="is damaged"):
            checkpoints.read(path)
