"""From PyTorch to ONNX: what a user runs needs no torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import NDArray

from fenjie.errors import FenjieError
from fenjie.export.compare import Difference, compare
from fenjie.export.products import Products, round_products
from fenjie.export.rounding import Tables, round_tables
from fenjie.export.trace import trace
from fenjie.lexicon.word_vectors import WORDS as WORD_TABLE
from fenjie.lexicon.word_vectors import WordVectors
from fenjie.models.tagger import Tagger
from fenjie.runtime.checksums import renewed
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.model_files import ONNX
from fenjie.store.load import load_model

TOLERANCE = 5e-4
"""Largest difference of a score from that of PyTorch, where nothing is rounded: attention with
scores that are not scaled loses some digits of float32 in both."""


@dataclass(frozen=True)
class Report:
    """The result of an export, compared with PyTorch.

    Attributes:
        path: the ONNX file.
        size: its size in bytes.
        difference: how its answers differ; no decision does unless something is rounded.
    """

    path: Path
    size: int
    difference: Difference


def export(
    folder: str | PathLike[str],
    *,
    tables: Tables = "float32",
    words: Literal["int8", "int4"] = "int8",
    encoder: Products = "float32",
    texts: Sequence[str] = (),
) -> Report:
    """Write `model.onnx` into a model folder, from its weights, and seal the folder anew.

    Batch and length are free. The file is compared with PyTorch before anything in the folder
    changes.

    Args:
        folder: the model folder, or the name of a shipped model.
        tables: how the embedding tables are stored. All else stays float32.
        words: how the vectors of words are stored, of a model that reads words; they are rounded
            to int4 for good, in the model that is compared with the export too.
        encoder: how the matrix products of a pretrained encoder are stored and computed.
        texts: on which to compare; by default the page of the demonstration.

    Raises:
        FileError: the folder or its weights are damaged.
        FenjieError: the exported model does not give the scores of PyTorch, or an encoder is to
            be rounded that the model does not have.
    """
    opened = ModelFolder.open(folder)
    model = load_model(opened)
    matrices = list(encoder_matrices(model)) if encoder == "int8" else []
    if encoder == "int8" and not matrices:
        raise FenjieError(f"{opened.path}: the model has no pretrained encoder to be rounded")
    if words == "int4":
        opened = with_small_words(opened)
    target = opened.path / ONNX
    texts = texts or sample()
    with renewed(opened.path) as new:
        made = new / ONNX
        program = trace(model, opened.indexer("一").shape[1])
        round_tables(program, tables)
        if matrices:
            round_products(program, matrices)
        onnx.save_model(program, made)
        found = compare(model, made, opened, texts)
        if tables == "float32" and not matrices:
            check_same(target, found)
        if words == "int4" and opened.words is not None:
            opened.words.table.save(new, WORD_TABLE)
        size = made.stat().st_size
    return Report(target, size, found)


def check_same(path: Path, found: Difference) -> None:
    """Raise a FenjieError where an export in which nothing is rounded answers otherwise.

    Where its scores are those of PyTorch but for the last digits, what it decides otherwise hangs
    on these: such are the ties of a model that has hardly learnt.
    """
    otherwise = f"decides {found.changed} of {found.decisions} {found.what} otherwise"
    if not found.scores <= TOLERANCE:
        reason = f"differs from PyTorch by {found.scores:.2g} (at most {TOLERANCE}) and {otherwise}"
    elif found.changed:
        reason = (
            f"has the scores of PyTorch, but {otherwise}: they are ties, of a model that has "
            "learnt too little"
        )
    else:
        return
    raise FenjieError(f"{path}: the exported model {reason}; nothing was written")


def encoder_matrices(model: Any) -> Iterator[NDArray[np.float32]]:
    """The matrices of a model's pretrained encoder as its rows are multiplied: `[in, out]`."""
    embedding: Any = model.embedding if isinstance(model, Tagger) else None
    encoder = None if embedding is None else embedding.pretrained
    for weight in () if encoder is None else encoder.parameters():
        if weight.ndim == 2:
            yield weight.detach().numpy().T


def with_small_words(folder: ModelFolder) -> ModelFolder:
    """The model with four bits for each number of the vectors of its words; no file is written.

    Raises:
        FenjieError: the model reads no words, or their vectors have an odd size.
    """
    if folder.words is None:
        raise FenjieError(f"{folder.path}: the model reads no words, so none can be made smaller")
    return folder.with_words(WordVectors(folder.words.table.halved(), folder.words.unknown))


def sample() -> list[str]:
    """The lines of the page that the demonstration shows."""
    page = files("fenjie.cli").joinpath("demo.txt").read_text(encoding="utf-8")
    return page.splitlines()
