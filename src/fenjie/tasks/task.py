"""The protocol of a task for the training loop: its data, its model and its scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fenjie.tasks.batches import Indices


class Scores(Protocol):
    """The counts of a comparison with gold; a frozen dataclass of what JSON can hold."""

    @property
    def f1(self) -> float:
        """By which the best model is chosen, between 0 and 1."""

    @property
    def figures(self) -> dict[str, float]:
        """The columns of a table, by their heads: shares between 0 and 1."""

    def as_dict(self) -> dict[str, Any]:
        """Scores and counts for a file of JSON."""


class Task(Protocol):
    """A recipe's data as its model reads them.

    Attributes:
        module: the model, its first weights drawn at random.
        lengths: the characters of each training example.
        weights: how often an epoch goes through each training example on average.
        fingerprint: a checksum of the training examples, by which a resumed run knows its own.
        held: the number of sentences for dev.
        summary: the units that have vectors, in a few words.
        notes: what else the user should know before training; perhaps nothing.
    """

    module: Any
    lengths: list[int]
    weights: NDArray[np.float64]
    fingerprint: str
    held: int
    summary: str
    notes: str

    def batch(self, indices: Indices, random: np.random.Generator) -> tuple[Any, Tensor]:
        """Training examples side by side: the input of the model, and the gold values."""

    def dev(self, device: torch.device) -> Scores:
        """Score the model, as it is now, on dev."""

    def test(self, name: str, device: torch.device) -> Scores:
        """Score the model on a test file that the recipe names."""

    def scores(self, state: Mapping[str, Any]) -> Scores:
        """The scores whose fields were saved as JSON."""

    def write(self, folder: Path) -> dict[str, Any]:
        """Write into a model folder what its user needs besides the weights.

        Returns:
            The table `[input]` of the folder's config.toml.
        """
