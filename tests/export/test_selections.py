"""Selections of keys in ONNX programs give the weights of PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import onnx
import onnxruntime
import torch

from fenjie.export.flat import flat_program
from fenjie.export.graph import Graph
from fenjie.export.selections import write_mean, write_selection, write_thresholds
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.selections import make_selection
from fenjie.runtime.scorer import OnnxScorer
from fenjie.tasks.scorer import TorchScorer
from tests.export.test_flat import TEXTS, lattices, model

BATCH, HEADS, DIM = 3, 4, 8
CONFIGS = [
    SelectionConfig(),
    *(SelectionConfig("top-k", keep=keep) for keep in (1, 3, 20)),
    SelectionConfig("sparsemax"),
    SelectionConfig("entmax"),
    *(SelectionConfig("threshold", keep=keep) for keep in (0, 1, 3, 20)),
    SelectionConfig("threshold", dynamic=False),
    SelectionConfig("threshold", dynamic=False, keep=0),
]


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_weights(config: SelectionConfig) -> None:
    torch.manual_seed(0)
    selection = make_selection(config, DIM, HEADS).eval()
    graph = Graph()
    score = graph.input("scores", ["batch", HEADS, "queries", "keys"], np.float32)
    vectors = graph.input("x", ["batch", "queries", DIM], np.float32)
    real = graph.input("mask", ["batch", "queries"], np.bool_)
    asked = write_thresholds(graph, selection, vectors, write_mean(graph, vectors, real))
    weights = write_selection(graph, selection, score, asked)
    program = graph.program("weights", weights, ["batch", HEADS, "queries", "keys"])
    session = onnxruntime.InferenceSession(program.SerializeToString())
    for length in (1, 2, 9, 60):
        # 200 more, and all keys reach their thresholds.
        for spread, more in ((1, 0), (30, 0), (1, 200)):
            scores = torch.randn(BATCH, HEADS, length, length) * spread + more
            x, lengths = torch.randn(BATCH, length, DIM), torch.tensor([length, 1, length])
            lengths[2] = max(1, length // 3)
            mask = torch.arange(length) < lengths[:, None]
            mean = (x * mask[..., None]).sum(1, keepdim=True) / lengths[:, None, None]
            hidden = ~mask[:, None, None]
            with torch.no_grad():
                thresholds = selection.thresholds(x, mean)
                expected, _ = selection(scores.masked_fill(hidden, -torch.inf), thresholds)
            scores = torch.where(hidden, scores - 1e30, scores)
            feeds = {"scores": scores, "x": x, "mask": mask}
            (found,) = session.run(None, {name: value.numpy() for name, value in feeds.items()})
            assert np.abs(found - expected.numpy()).max() < 1e-5


@pytest.mark.parametrize(
    "settings",
    [
        {"selection": SelectionConfig("top-k", keep=4)},
        {"selection": SelectionConfig("sparsemax"), "reach": 3},
        {"selection": SelectionConfig("entmax"), "layers": 2},
        {"selection": SelectionConfig("threshold"), "layers": 2},
        {"selection": SelectionConfig("threshold", keep=0), "self_matched": False},
        {"selection": SelectionConfig("threshold", keep=9, dynamic=False), "reach": 3},
        {"selection": SelectionConfig("threshold"), "lexicon": False},
    ],
    ids=str,
)
def test_flat(settings: dict[str, Any], tmp_path: Path) -> None:
    reader, words = lattices(words=settings.get("lexicon", True))
    flat = model(reader, **settings)
    path = tmp_path / "model.onnx"
    onnx.save_model(flat_program(flat), path)
    by_onnx, by_torch = OnnxScorer(path, words), TorchScorer(flat, words)
    for texts in [*([text] for text in TEXTS), TEXTS]:
        for batch in reader.read(texts).view.batches():
            found, expected = by_onnx(batch), by_torch(batch)
            real = np.arange(found.shape[1]) < batch.lengths[:, None]
            assert np.abs(found - expected)[real].max() < 2e-5
