"""TENER and ATSSA as ONNX programs give the scores of PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import onnx
import torch

from fenjie.export.taggers import program
from fenjie.models.atssa import Atssa, AtssaConfig
from fenjie.models.tagger import TaggerSizes
from fenjie.models.tener import Tener, TenerConfig
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.runtime.scorer import OnnxScorer
from fenjie.tasks.scorer import TorchScorer
from tests.export.test_flat import TAGS, TEXTS, lattices

SMALL = {"dim": 16, "heads": 4, "hidden": 24}
LONG = "江大桥" * 170 + "北京"
ATSSA: dict[str, dict[str, Any]] = {
    "paper": {},
    "dense": {"selection": SelectionConfig()},
    "no floor": {"selection": SelectionConfig("threshold", keep=0)},
    "fixed threshold": {"selection": SelectionConfig("threshold", dynamic=False)},
    "characters alone": {"lexicon": False},
    "three layers": {"layers": 3},
    "windows": {"windows": WindowConfig(rounds=3)},
}
TENER: dict[str, dict[str, Any]] = {
    "paper": {},
    "top-k": {"selection": SelectionConfig("top-k", keep=2)},
    "ATSSA's attention": {"sinusoids": "model", "key_projection": True, "scale": True},
    "no output projection": {"output_projection": False, "layers": 2},
}


def check(kind: Any, config: Any, tmp_path: Path, *, pairs: bool = True) -> None:
    """Scores are the same for each text alone and for all together."""
    reader, words = lattices(pairs=pairs, words=config.words != "none")
    sizes = reader.indexer.sizes
    torch.manual_seed(0)
    bigrams = (30, sizes.bigrams - 30, 6) if sizes.bigrams else None
    model = kind(config, TaggerSizes((20, sizes.characters - 20, 6), bigrams, (2, 0, 6), TAGS))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    model.eval()
    path = tmp_path / "model.onnx"
    onnx.save_model(program(model, None, TEXTS), path)
    by_onnx, by_torch = OnnxScorer(path, words), TorchScorer(model, words)
    for texts in [*([text] for text in TEXTS), TEXTS, ["北京", "和"], [LONG]]:
        for batch in reader.read(texts).view.batches():
            found, expected = by_onnx(batch), by_torch(batch)
            real = np.arange(found.shape[1]) < batch.lengths[:, None]
            assert np.isfinite(found[real]).all()
            assert np.abs(found - expected)[real].max() < 1e-4


@pytest.mark.parametrize("settings", ATSSA.values(), ids=ATSSA.keys())
def test_atssa(settings: dict[str, Any], tmp_path: Path) -> None:
    check(Atssa, AtssaConfig(**SMALL, **settings), tmp_path)


@pytest.mark.parametrize("settings", TENER.values(), ids=TENER.keys())
def test_tener(settings: dict[str, Any], tmp_path: Path) -> None:
    check(Tener, TenerConfig(**SMALL, **settings), tmp_path)


def test_no_bigrams(tmp_path: Path) -> None:
    check(Atssa, AtssaConfig(**SMALL, selection=SelectionConfig()), tmp_path, pairs=False)
