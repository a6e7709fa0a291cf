"""Embedding tables of an ONNX program in fewer bits."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from fenjie.export.tidy import drop_unused
from fenjie.lexicon.number_types import quantised

Tables = Literal["float32", "float16", "int8"]
"""How the embedding tables are stored: as they are, as float16, or as int8 with a scale a row.

Tables whose rows are too short for a scale of their own are stored as float16 instead of int8.
"""

_LARGE = 1 << 14
"""Tables with fewer values are never rounded."""

_SHORT = 8
"""Rows with fewer values have no scale."""


def round_tables(program: Any, tables: Tables) -> None:
    """Store the embedding tables of an ONNX program rounded; each row is restored when read.

    A table is what rows are taken from by numbers that are not stored themselves.
    """
    if tables == "float32":
        return
    graph = program.graph
    stored = {value.name: value for value in graph.initializer}
    nodes = []
    for node in graph.node:
        table = stored.get(node.input[0]) if node.op_type == "Gather" else None
        values = None if table is None else numpy_helper.to_array(table)
        if values is None or values.ndim != 2 or values.size < _LARGE or node.input[1] in stored:
            nodes.append(node)
            continue
        nodes += _rounded_gather(graph, node, values, tables)
    del graph.node[:]
    graph.node.extend(nodes)
    drop_unused(program)


def _rounded_gather(
    graph: Any, node: Any, values: NDArray[np.float32], tables: Tables
) -> list[Any]:
    """The replacement of a Gather from a table: it reads the rounded row, then restores it."""
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
    small, scale = quantised(values)
    return small, scale[:, None]
