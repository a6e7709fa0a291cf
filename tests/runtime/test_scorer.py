"""Scores of batches by an exported model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FileError
from fenjie.runtime.batching import Batch
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.model_files import ONNX
from fenjie.runtime.scorer import OnnxScorer


def test_a_batch_gives_what_each_of_its_windows_gives_alone(tiny_ner: Path) -> None:
    folder = ModelFolder.open(tiny_ner)
    score = OnnxScorer(tiny_ner / ONNX, folder.words)
    seen: list[tuple[Batch, np.ndarray]] = []

    def kept(batch: Batch) -> np.ndarray:
        seen.append((batch, score(batch)))
        return seen[-1][1]

    reader = LatticeReader.of(folder)
    for texts in ["商品和服务", "今天天气很好"], ["商品和服务"], ["今天天气很好"]:
        reader.read(texts).entities(kept, folder.tags, folder.transitions)
    alone = {int(batch.lengths[0]): found[0] for batch, found in seen if len(found) == 1}
    for batch, found in seen:
        for length, row in zip(batch.lengths.tolist(), found, strict=True):
            assert np.abs(row[:length] - alone[length][:length]).max() < 1e-4


def test_a_model_that_reads_other_inputs_is_refused(tiny_ner: Path) -> None:
    with pytest.raises(FileError, match=r"model\.onnx: an exported model of another kind"):
        OnnxScorer(tiny_ner / ONNX)
