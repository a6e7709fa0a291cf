"""From PyTorch to ONNX: what a user runs needs no torch."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.files import atomic
from fenjie.nn.batch import Batch
from fenjie.nn.unrolled import unroll
from fenjie.runtime.decode import boundaries
from fenjie.runtime.folder import ONNX, ModelFolder, seal
from fenjie.runtime.session import INPUTS, OUTPUT, Session
from fenjie.text.vocabulary import Ids
from fenjie.training.load import load_model

Tables = Literal["float32", "float16", "int8"]
"""How the embedding tables are stored: as they are, as float16, or as int8 with a scale a row.

Tables whose rows are too short for a scale of their own are stored as float16 instead of int8.
"""

TOLERANCE = 1e-4
"""How far a score may be from that of PyTorch, where nothing is rounded."""

_LARGE = 1 << 14
"""Tables with fewer values are never rounded."""

_SHORT = 8
"""Rows with fewer values have no scale."""


@dataclass(frozen=True)
class Report:
    """What an export has made, and how it compares with PyTorch.

    Attributes:
        path: the ONNX file.
        size: its size in bytes.
        gaps: the number of gaps compared.
        difference: the largest absolute difference of a score.
        changed: the number of gaps that are decided otherwise; 0 unless tables are rounded.
    """

    path: Path
    size: int
    gaps: int
    difference: float
    changed: int


def export(
    folder: str | PathLike[str], *, tables: Tables = "float32", texts: Sequence[str] = ()
) -> Report:
    """Write `model.onnx` into a model folder, from its weights, and seal the folder anew.

    Batch and length are free. The file is compared with PyTorch before it takes its place.

    Args:
        folder: the model folder, or the name of a shipped model.
        tables: how the embedding tables are stored. All else stays float32.
        texts: on which to compare; by default the page of the demonstration.

    Raises:
        FileError: the folder or its weights are damaged.
        FenjieError: the exported model does not give the scores of PyTorch.
    """
    opened = ModelFolder.open(folder)
    model = load_model(opened)
    target = opened.path / ONNX
    rows = _rows(opened, texts or sample())
    with atomic(target) as made:
        program = trace(model, rows[:3])
        round_tables(program, tables)
        onnx.save_model(program, made)
        report = compare(model, made, rows)
        if tables == "float32" and (report.difference > TOLERANCE or report.changed):
            raise FenjieError(
                f"{target}: the exported model differs from PyTorch by {report.difference:.2g} "
                f"(at most {TOLERANCE}) and decides {report.changed} of {report.gaps} gaps "
                "otherwise; nothing was written"
            )
    seal(opened.path)
    return Report(target, report.size, report.gaps, report.difference, report.changed)


def sample() -> list[str]:
    """The lines of the page that the demonstration shows."""
    page = files("fenjie.cli").joinpath("demo.txt").read_text(encoding="utf-8")
    return page.splitlines()


def trace(model: Any, rows: Sequence[Ids]) -> Any:
    """The ONNX program of a model, with batch and length free.

    Args:
        model: a model of `fenjie.models`, in evaluation mode.
        rows: ids of at least two texts of at least two characters, to trace it with.
    """
    batch = Batch.of(rows)
    axes = {
        "ids": {0: torch.export.Dim("batch", min=1), 1: torch.export.Dim("length", min=2)},
        "lengths": {0: torch.export.Dim("batch", min=1)},
    }
    with _quiet(), torch.no_grad():
        program = torch.onnx.export(
            _Scores(unroll(model)),
            (batch.ids, batch.lengths),
            dynamo=True,
            verbose=False,
            input_names=list(INPUTS),
            output_names=[OUTPUT],
            dynamic_shapes=axes,
        )
    assert program is not None
    proto = program.model_proto
    # The exporter notes for each node where in the source it comes from: paths of this machine.
    for part in (*proto.graph.node, *proto.graph.value_info, *proto.graph.input, proto.graph):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    return proto


class _Scores(nn.Module):
    """A model between plain tensors."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        scores: Tensor = self.model(Batch(ids, lengths))[0]
        return scores


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


def round_tables(program: Any, tables: Tables) -> None:
    """Store the embedding tables of an ONNX program rounded; each row is restored when read."""
    if tables == "float32":
        return
    graph = program.graph
    stored = {value.name: value for value in graph.initializer}
    nodes = []
    for node in graph.node:
        table = stored.get(node.input[0]) if node.op_type == "Gather" else None
        values = None if table is None else numpy_helper.to_array(table)
        if values is None or values.ndim != 2 or values.size < _LARGE:
            nodes.append(node)
            continue
        nodes += _rounded_gather(graph, node, values, tables)
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in graph.node for name in node.input}
    kept = [value for value in graph.initializer if value.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)


def _rounded_gather(
    graph: Any, node: Any, values: NDArray[np.float32], tables: Tables
) -> list[Any]:
    """What stands for a Gather from a table: it reads the rounded row, then restores it."""
    if values.shape[1] < _SHORT:
        tables = "float16"
    name, index, result = node.input[0], node.input[1], node.output[0]
    small, scale = rounded(values, tables)
    graph.initializer.append(numpy_helper.from_array(small, f"{name}.{tables}"))
    raw, plain = f"{result}.{tables}", result if scale is None else f"{result}.plain"
    made = [
        onnx.helper.make_node("Gather", [f"{name}.{tables}", index], [raw]),
        onnx.helper.make_node("Cast", [raw], [plain], to=onnx.TensorProto.FLOAT),
    ]
    if scale is not None:
        graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))
        made += [
            onnx.helper.make_node("Gather", [f"{name}.scale", index], [f"{result}.scale"]),
            onnx.helper.make_node("Mul", [plain, f"{result}.scale"], [result]),
        ]
    return made


def rounded(
    values: NDArray[np.float32], tables: Tables
) -> tuple[NDArray[Any], NDArray[np.float32] | None]:
    """A table in fewer bits, and the scale of each row where it needs one.

    Args:
        values: `[rows, dim]`.
        tables: `float16` or `int8`.

    Returns:
        `[rows, dim]`, and `[rows, 1]` for int8.
    """
    if tables == "float16":
        return values.astype(np.float16), None
    scale = (np.abs(values).max(axis=1, keepdims=True) / 127).astype(np.float32)
    small = np.rint(values / np.where(scale > 0, scale, 1)).astype(np.int8)
    return small, scale


def compare(model: Any, path: Path, rows: Sequence[Ids]) -> Report:
    """Compare an ONNX file with the model that it was made from.

    Args:
        model: the model, in evaluation mode.
        path: the ONNX file.
        rows: ids of texts; they are scored one by one and all together.
    """
    session = Session(path)
    gaps, changed, difference = 0, 0, 0.0
    for row in rows:
        found, expected = _both(model, session, [row])
        gaps += expected[..., 0].size
        changed += int((boundaries(found) != boundaries(expected)).sum())
        difference = max(difference, float(np.abs(found - expected).max(initial=0)))
    found, expected = _both(model, session, rows)
    for one, other, row in zip(found, expected, rows, strict=True):
        real = slice(len(row) - 1)
        difference = max(difference, float(np.abs(one[real] - other[real]).max(initial=0)))
    return Report(path, path.stat().st_size, gaps, difference, changed)


def _both(
    model: Any, session: Session, rows: Sequence[Ids]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    batch = Batch.of(rows)
    with torch.no_grad():
        expected = model(batch)[0].numpy()
    return session(batch.ids.numpy(), batch.lengths.numpy()), expected


def _rows(folder: ModelFolder, texts: Sequence[str]) -> list[Ids]:
    """The ids of some texts, whitespace left out; at least three rows of two characters."""
    plain = ["".join(folder.normaliser(text).text.split()) for text in texts]
    plain = [text for text in plain if len(text) > 1]
    if len(plain) < 3:
        raise FenjieError("an export is compared on at least three texts of two characters")
    return [folder.indexer(text) for text in plain]
