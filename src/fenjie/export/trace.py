"""Any system as an ONNX program, traced by PyTorch's exporter from its own `forward`."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.export.tidy import tidy
from fenjie.models.tagger import Tagger
from fenjie.nn.batch import Batch
from fenjie.nn.lattice import Lattice
from fenjie.runtime.session import OUTPUT

OPSET, IR = 18, 9
"""The versions of ONNX, which ONNX Runtime reads from 1.14 on."""


def trace(model: Any, columns: int) -> Any:
    """The ONNX program of a model; batch, length and number of words are free.

    Args:
        model: a tagger or a segmenter, in evaluation mode.
        columns: the number of ids of a character.

    Raises:
        FenjieError: the exporter cannot follow the model.
    """
    inputs = example(model, columns)
    free = torch.export.Dim.DYNAMIC
    with _quiet(), torch.no_grad():
        try:
            traced = torch.onnx.export(
                _Plain(model, tuple(inputs)),
                tuple(inputs.values()),
                dynamo=True,
                verbose=False,
                opset_version=OPSET,
                input_names=list(inputs),
                output_names=[OUTPUT],
                dynamic_shapes=(
                    tuple(dict.fromkeys(_free(*each), free) for each in inputs.items()),
                ),
            )
        except torch.onnx.OnnxExporterError as error:
            reason = str(error.__cause__ or error).partition("\n")[0]
            raise FenjieError(
                f"{type(model).__name__} cannot be exported, since its forward depends on the "
                f"numbers or sizes of one batch (docs/extending.md): {reason}"
            ) from error
    assert traced is not None
    program = traced.model_proto
    program.ir_version = IR
    tidy(program)
    return program


def example(model: Any, columns: int) -> dict[str, Tensor]:
    """A small batch with all that a model reads, under the names of `fenjie.runtime.session`."""
    made = {
        "ids": torch.ones(3, 7, columns, dtype=torch.int64),
        "lengths": torch.tensor([7, 4, 5]),
    }
    if not isinstance(model, Tagger):
        return made
    embedding: Any = model.embedding
    config: Any = model.config
    if embedding.pretrained is not None:
        made["pieces"] = torch.ones(4, 9, dtype=torch.int64)
        made["piece_lengths"] = torch.tensor([9, 3, 2, 4])
        made["piece"] = torch.zeros(3, 7, 2, dtype=torch.int64)
    if config.words != "none":
        made["start"] = torch.zeros(3, 5, dtype=torch.int64)
        made["end"] = torch.ones(3, 5, dtype=torch.int64)
        made["words"] = torch.tensor([5, 1, 2])
        made["vectors"] = torch.zeros(3, 5, embedding.word_dim)
        made["counts"] = torch.ones(3, 5)
    return made


def _free(name: str, value: Tensor) -> range:
    """The free axes of an input: all but the last one of ids and of vectors."""
    return range(3 if name == "piece" else min(value.dim(), 2))


class _Plain(nn.Module):
    """A model between plain tensors."""

    def __init__(self, model: Any, names: tuple[str, ...]) -> None:
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs: Tensor) -> Tensor:
        given: dict[str, Any] = dict(zip(self.names, inputs, strict=True))
        batch: Batch | Lattice
        if not isinstance(self.model, Tagger):
            batch = Batch(**given)
        elif "start" in given:
            batch = Lattice(**given)
        else:
            ids, lengths = given["ids"], given["lengths"]
            none = ids.new_zeros((ids.shape[0], 0))
            batch = Lattice(
                **given, start=none, end=none, words=torch.zeros_like(lengths), word=none
            )
        scores: Tensor = self.model(batch)[0]
        return scores


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the exporter about its own steps."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnxscript")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
