"""What ONNX Runtime does in one go is what PyTorch does in several."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import onnxruntime
import torch
from torch import Tensor, nn

from fenjie.nn.fused import add_and_norm, mixed_by_heads, scores_of_heads


class Call(nn.Module):
    def __init__(self, function: Callable[..., Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.function(*inputs)


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (add_and_norm, [(5, 8), (5, 8), (8,), (8,), (8,)]),
        (scores_of_heads, [(5, 3, 2, 4), (5, 3, 2, 4)]),
        (mixed_by_heads, [(3, 2, 5, 5), (5, 3, 2, 4)]),
    ],
)
def test_fused(
    function: Callable[..., Tensor], shapes: list[tuple[int, ...]], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    inputs = tuple(torch.randn(shape) for shape in shapes)
    path = tmp_path / "model.onnx"
    program = torch.onnx.export(Call(function).eval(), inputs, dynamo=True, verbose=False)
    assert program is not None
    program.save(path)
    assert len(program.model_proto.graph.node) == 1
    session = onnxruntime.InferenceSession(path)
    names = [value.name for value in session.get_inputs()]
    found = session.run(None, {n: x.numpy() for n, x in zip(names, inputs, strict=True)})[0]
    assert np.abs(found - function(*inputs).numpy()).max() < 1e-5
