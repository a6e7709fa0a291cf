"""Scores of batches by PyTorch are those of the exported model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from fenjie.runtime.batching import Batch
from fenjie.runtime.decoding.gaps import log_odds
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.model_files import ONNX
from fenjie.runtime.scorer import OnnxScorer
from fenjie.runtime.sentences import SentenceReader
from fenjie.store.load import load_model
from fenjie.tasks.scorer import TorchGapScorer, TorchScorer

TEXTS = ["商品和服务，他说的确实在理。", "今天天气", "市场价格上涨12.5%"]


def compared(batch: Batch, one: np.ndarray, other: np.ndarray, gaps: int) -> None:
    real = np.arange(one.shape[1]) < batch.lengths[:, None] - gaps
    assert one.shape == other.shape
    assert np.abs(one - other)[real].max() < 1e-4


def test_tags(tiny_ner: Path) -> None:
    folder = ModelFolder.open(tiny_ner)
    by_torch = TorchScorer(load_model(folder), folder.words)
    by_onnx = OnnxScorer(tiny_ner / ONNX, folder.words)
    seen: list[Batch] = []

    def score(batch: Batch) -> np.ndarray:
        found = by_torch(batch)
        compared(batch, found, by_onnx(batch), 0)
        seen.append(batch)
        return found

    LatticeReader.of(folder).read(TEXTS).entities(score, folder.tags, folder.transitions)
    assert sum(batch.words.sum() for batch in seen) > 3


@pytest.mark.parametrize("training", [True, False])
def test_gaps(tiny_model: Path, training: bool) -> None:
    folder = ModelFolder.open(tiny_model)
    model = load_model(folder).train(training)
    by_torch, by_onnx = TorchGapScorer(model), OnnxScorer(tiny_model / ONNX)

    def score(batch: Batch) -> np.ndarray:
        found = by_torch(batch)
        compared(batch, log_odds(found), log_odds(by_onnx(batch)), 1)
        return found

    assert len(SentenceReader.of(folder).read(TEXTS).sentences(score)) == len(TEXTS)
    assert model.training == training, "a model is left in the mode that it is in"
    assert torch.is_grad_enabled()
