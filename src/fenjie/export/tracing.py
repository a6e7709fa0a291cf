"""Modules of PyTorch as ONNX programs, traced by PyTorch's exporter."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


def trace(
    module: nn.Module,
    arguments: Sequence[Tensor],
    inputs: Sequence[str],
    output: str,
    shapes: Mapping[str, Mapping[int, Any]],
    opset: int | None = None,
) -> Any:
    """The ONNX program of a module, which is left in the mode (training or not) it is in.

    Args:
        module: takes tensors and gives one.
        arguments: tensors to trace it with.
        inputs: the names of the inputs.
        output: the name of the output.
        shapes: the axes of each argument of `forward` that are free.
        opset: the version of ONNX; None for the exporter's own.
    """
    with _quiet(), torch.no_grad():
        traced = torch.onnx.export(
            module,
            tuple(arguments),
            dynamo=True,
            verbose=False,
            opset_version=opset,
            input_names=list(inputs),
            output_names=[output],
            dynamic_shapes=dict(shapes),
        )
    assert traced is not None
    proto = traced.model_proto
    # The exporter notes for each node where in the source it comes from: paths of this machine.
    for part in (*proto.graph.node, *proto.graph.value_info, *proto.graph.input, proto.graph):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    return proto


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the exporter's remarks on its own inner life."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
