"""The tables of a segmenter start from vectors that were learnt from raw text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fenjie.errors import FenjieError
from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.units import UnitVectors, unit_length
from fenjie.text.vocabulary import RESERVED


def start_from_vectors(module: Any, indexer: Indexer, folder: Path) -> str:
    """Give the characters and bigrams of a new model the vectors of a folder.

    Where these are longer than the model's, they are turned to the directions in which they differ
    most and the others are left out; where they are shorter, the rest of a row stays as it is.

    Args:
        module: the model.
        indexer: its characters and bigrams.
        folder: a folder of `fenjie vectors`.

    Returns:
        How many of them start so, in a few words.

    Raises:
        FenjieError: a file of the vectors is missing or damaged, or the model has no tables.
    """
    embedding = getattr(module, "embedding", None)
    if embedding is None:
        raise FenjieError("vectors: this architecture has no vectors of characters or bigrams")
    said = []
    for name, vocabulary in (("characters", indexer.characters), ("bigrams", indexer.bigrams)):
        table = getattr(embedding, name)
        if vocabulary is None or table is None:
            continue
        vectors = UnitVectors.open(folder, name)
        found, rows = vectors.lookup(vocabulary.units)
        ids = torch.from_numpy(np.flatnonzero(found) + RESERVED)
        shortened = torch.from_numpy(fitted(rows, table.weight.shape[1]))
        with torch.no_grad():
            table.weight[ids, : shortened.shape[1]] = shortened
        said.append(f"{len(ids):,} of {len(vocabulary.units):,} {name}")
    return f"start from vectors: {', '.join(said)}"


def fitted(rows: NDArray[np.float32], dim: int) -> NDArray[np.float32]:
    """Rows of length 1 and of at most `dim` numbers, by their principal directions.

    Args:
        rows: `[rows, any]`.
        dim: the most numbers.
    """
    if rows.shape[1] > dim:
        directions = np.linalg.eigh(rows.T @ rows)[1][:, ::-1]
        rows = rows @ directions[:, :dim]
    return unit_length(rows)
