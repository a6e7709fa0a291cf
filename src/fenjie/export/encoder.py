"""A pretrained encoder as a part of an ONNX program."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fenjie.export.graph import OPSET, Graph
from fenjie.export.tracing import trace
from fenjie.nn.encoders.hugging_face import empty_like
from fenjie.nn.encoders.pretrained import Pretrained


def encoder_vectors(graph: Graph, pretrained: Pretrained) -> str:
    """The inputs of word pieces, and the encoder's vectors of the characters.

    Returns:
        `[batch, length, dim]`; anything at padding.
    """
    add = graph.add
    pieces = graph.input("pieces", ["windows", "width"])
    lengths = graph.input("piece_lengths", ["windows"])
    piece = graph.input("piece", ["batch", "length", "parts"])
    zero, one = np.array(0), np.array(1)
    nothing, something = np.zeros(1, dtype=np.float32), np.ones(1, dtype=np.float32)
    place = add("Range", zero, add("Squeeze", add("Shape", pieces, start=1)), one)
    mask = add("Less", add("Unsqueeze", place, [0]), add("Unsqueeze", lengths, [1]))
    states = graph.inline(_traced(pretrained), {"pieces": pieces, "mask": mask}, "encoder.")
    # [windows * width, dim] -> [batch, length, parts, dim]
    rows = add("Gather", add("Reshape", states, [-1, pretrained.dim]), add("Max", piece, zero))
    there = add("Where", add("Less", piece, zero), nothing, something)
    sums = add("ReduceSum", add("Mul", rows, add("Unsqueeze", there, [3])), [2], keepdims=0)
    # Padding has no piece at all.
    counts = add("Max", add("ReduceSum", there, [2], keepdims=1), something)
    return add("Div", sums, counts)


class _States(nn.Module):
    """An encoder between plain tensors, its attention in plain operations."""

    def __init__(self, pretrained: Pretrained) -> None:
        super().__init__()
        self._pretrained = (pretrained,)  # so that its weights are not traced besides the copy's
        self.encoder = empty_like(pretrained.encoder.config, "eager")
        self.encoder.load_state_dict(pretrained.encoder.state_dict())

    def forward(self, pieces: Tensor, mask: Tensor) -> Tensor:
        return self._pretrained[0].states(pieces, mask, self.encoder)


def _traced(pretrained: Pretrained) -> Any:
    """The program from `pieces` and `mask` to the vectors of pieces, both sizes free."""
    free = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    pieces, mask = torch.zeros(3, 7, dtype=torch.int64), torch.ones(3, 7, dtype=torch.bool)
    mask[1, 4:] = mask[2, 5:] = False
    shapes = {"pieces": free, "mask": free}
    names = list(shapes)
    return trace(_States(pretrained).eval(), (pieces, mask), names, "states", shapes, OPSET)
