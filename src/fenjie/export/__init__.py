"""From PyTorch to ONNX: what a user runs needs no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Literal

import onnx

from fenjie.errors import FenjieError
from fenjie.export.compare import Difference, compare
from fenjie.export.rounding import Tables, round_tables
from fenjie.export.trace import trace
from fenjie.files import atomic
from fenjie.lexicon.word_vectors import WORDS as WORD_TABLE
from fenjie.runtime.folder import ONNX, ModelFolder, seal
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
        difference: how its answers differ; no decision does unless tables are rounded.
    """

    path: Path
    size: int
    difference: Difference


def export(
    folder: str | PathLike[str],
    *,
    tables: Tables = "float32",
    words: Literal["int8", "int4"] = "int8",
    texts: Sequence[str] = (),
) -> Report:
    """Write `model.onnx` into a model folder, from its weights, and seal the folder anew.

    Batch and length are free. The file is compared with PyTorch before it takes its place.

    Args:
        folder: the model folder, or the name of a shipped model.
        tables: how the embedding tables are stored. All else stays float32.
        words: how the vectors of words are stored, of a model that reads words; they are rounded
            to int4 for good, in the model that is compared with the export too.
        texts: on which to compare; by default the page of the demonstration.

    Raises:
        FileError: the folder or its weights are damaged.
        FenjieError: the exported model does not give the scores of PyTorch.
    """
    opened = ModelFolder.open(folder)
    if words == "int4":
        opened = with_small_words(opened)
    model = load_model(opened)
    target = opened.path / ONNX
    texts = texts or sample()
    with atomic(target) as made:
        program = trace(model, opened.indexer("一").shape[1])
        round_tables(program, tables)
        onnx.save_model(program, made)
        found = compare(model, made, opened, texts)
        if tables == "float32" and not (found.scores <= TOLERANCE and not found.changed):
            raise FenjieError(
                f"{target}: the exported model differs from PyTorch by {found.scores:.2g} "
                f"(at most {TOLERANCE}) and decides {found.changed} of {found.decisions} "
                f"{found.what} otherwise; nothing was written"
            )
        size = made.stat().st_size
    seal(opened.path)
    return Report(target, size, found)


def with_small_words(folder: ModelFolder) -> ModelFolder:
    """Write the vectors of a model's words with four bits a number, and open the folder anew.

    Raises:
        FenjieError: the model reads no words, or their vectors have an odd size.
    """
    if folder.words is None:
        raise FenjieError(f"{folder.path}: the model reads no words, so none can be made smaller")
    folder.words.table.halved().save(folder.path, WORD_TABLE)
    seal(folder.path)
    return ModelFolder.open(folder.path)


def sample() -> list[str]:
    """The lines of the page that the demonstration shows."""
    page = files("fenjie.cli").joinpath("demo.txt").read_text(encoding="utf-8")
    return page.splitlines()
