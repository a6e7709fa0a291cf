"""A segmenter whose queries keep some keys alone gives the scores of PyTorch as an ONNX program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import onnx
import torch

from fenjie.export.segmenters import program
from fenjie.lexicon.indexer import Sizes
from fenjie.models.sams import Sams, SamsConfig
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.batch import Batch
from fenjie.runtime.session import Session

LENGTHS = [[9, 23, 2, 40], [2], [3], [7], [150, 2]]


class Folder:
    """As much of a model folder as an export asks for: characters are their own ids."""

    def normaliser(self, text: str) -> Any:
        return type("Text", (), {"text": text})

    def indexer(self, text: str) -> np.ndarray:
        return np.array([[ord(character) % 40 + 2] for character in text])


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"gaussian": False, "selection": SelectionConfig("threshold")},
        {"selection": SelectionConfig("threshold", keep=0)},
        {"selection": SelectionConfig("top-k", keep=5)},
        {"selection": SelectionConfig("sparsemax")},
        {"gaussian": False, "selection": SelectionConfig("entmax"), "highway_output": False},
    ],
    ids=str,
)
def test_scores(settings: dict[str, Any], tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = Sams(SamsConfig(dim=16, layers=2, heads=2, hidden=24, **settings), Sizes(50)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    path = tmp_path / "model.onnx"
    onnx.save_model(program(model, Folder(), ["今天", "天气很好", "北京大学"]), path)
    session, random = Session(path), np.random.default_rng(1)
    for lengths in LENGTHS:
        batch = Batch.of([random.integers(2, 50, (length, 1)) for length in lengths])
        with torch.no_grad():
            expected = model(batch).final.numpy()
        found = session(batch.ids.numpy(), batch.lengths.numpy())
        for row, length in enumerate(lengths):
            assert np.abs(found - expected)[row, : length - 1].max() < 1e-4
