"""Windows over characters as an ONNX program give what PyTorch does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import onnxruntime
import torch

from fenjie.export.parts import Parts
from fenjie.export.windows import write_character_windows
from fenjie.nn.attention.base import AttentionConfig
from fenjie.nn.attention.relative import CharacterPattern
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.nn.encoders.windowed import CharacterWindows

LENGTHS = ([1], [2], [8], [9], [41], [1, 3, 16, 17, 40, 7], [64, 65])


@pytest.mark.parametrize(
    ("config", "selection", "how"),
    [
        (WindowConfig(2, 4), SelectionConfig(), {}),
        (WindowConfig(3, 2, shared=True), SelectionConfig(), {"scale": True}),
        (
            WindowConfig(8, 1, residual=False),
            SelectionConfig(),
            {"scale": True, "key_projection": False},
        ),
        (WindowConfig(4, 3), SelectionConfig("threshold"), {"output_projection": False}),
        (WindowConfig(2, 2), SelectionConfig("threshold", keep=1), {}),
        (WindowConfig(4, 2), SelectionConfig("threshold", keep=2, dynamic=False), {}),
        (WindowConfig(8, 1), SelectionConfig("top-k"), {}),
    ],
    ids=str,
)
def test_characters(config: WindowConfig, selection: SelectionConfig, how: dict[str, bool]) -> None:
    torch.manual_seed(0)
    made = AttentionConfig(16, 2, selection=selection, windows=config, **how)
    module = CharacterWindows(made).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(torch.randn_like(parameter) / 5)
    weights = {name: value.clone() for name, value in module.state_dict().items()}
    session = exported(module)
    for name, value in module.state_dict().items():
        assert torch.equal(value, weights[name]), f"export changed {name}"
    for lengths in LENGTHS:  # unscaled scores of many rounds lose some digits in both
        x, mask = torch.randn(len(lengths), max(lengths), 16), filled(lengths)
        (found,) = session.run(None, {"x": x.numpy(), "mask": mask.numpy()})
        with torch.inference_mode():
            expected = module(x, CharacterPattern(mask)).x
        assert np.isfinite(found).all()
        assert np.abs(found - expected.numpy())[mask.numpy()].max() < 1e-4


def exported(module: CharacterWindows) -> Any:
    parts = Parts()
    x = parts.graph.input("x", ["batch", "length", 16], np.float32)
    mask = parts.graph.input("mask", ["batch", "length"], np.bool_)
    made = write_character_windows(parts, module, x, mask)
    program = parts.graph.program("mixed", made, ["batch", "length", 16])
    return onnxruntime.InferenceSession(program.SerializeToString())


def filled(lengths: list[int]) -> torch.Tensor:
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
