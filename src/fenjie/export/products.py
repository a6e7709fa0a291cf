"""Matrix products of an ONNX program in whole numbers of 8 bits, which are faster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from fenjie.errors import FenjieError
from fenjie.export.tidy import drop_unused

Products = Literal["float32", "int8"]
"""How the products of a pretrained encoder's matrices are computed."""

WEIGHT, VALUE = 63, 127
"""The largest numbers of a weight and of what it is multiplied with. Older processors add two
products of bytes in 16 bits; a weight of seven bits leaves room there, so all give the same."""

_CONSTANTS: dict[str, NDArray[Any]] = {
    "int8.zero": np.array(VALUE + 1, np.uint8),
    "int8.step": np.array(1 / VALUE, np.float32),
    "int8.least": np.array(1e-30, np.float32),  # nothing is divided by 0
    "int8.one": np.array(1, np.float32),
    "int8.last": np.array([-1], np.int64),
}


def round_products(program: Any, weights: Iterable[NDArray[np.float32]]) -> None:
    """Compute the products with some weights in int8; the program's answers change a little.

    Each column of a weight has a scale, and so has each row that it is multiplied with, found when
    the program runs. So a row's result depends on that row alone, whatever else is in its batch.

    Args:
        program: changed in place.
        weights: matrices `[in, out]`, which the program multiplies from the right.

    Raises:
        FenjieError: the program multiplies with none of them.
    """
    graph = program.graph
    wanted = {_key(weight) for weight in weights}
    stored = {
        value.name: values
        for value in graph.initializer
        if len(value.dims) == 2 and _key(values := numpy_helper.to_array(value)) in wanted
    }
    nodes: list[Any] = []
    rounded: set[str] = set()  # the names of values and weights that are so already
    for node in graph.node:
        if node.op_type != "MatMul" or node.input[1] not in stored:
            nodes.append(node)
            continue
        values, weight = node.input
        if values not in rounded:
            nodes += _rounded(values)
        if weight not in rounded:
            graph.initializer.extend(_small(weight, stored[weight]))
        rounded |= {values, weight}
        nodes += _product(node)
    if not rounded:
        raise FenjieError("the exported program has no product with a matrix of an encoder")
    for name, value in _CONSTANTS.items():
        graph.initializer.append(numpy_helper.from_array(value, name))
    del graph.node[:]
    graph.node.extend(nodes)
    drop_unused(program)


def _key(weight: NDArray[np.float32]) -> bytes:
    """What tells a matrix from all others."""
    return f"{weight.dtype} {weight.shape} ".encode() + weight.tobytes()


def _rounded(name: str) -> list[Any]:
    """The nodes that write values `[..., in]` as bytes around 128, with a scale a row."""
    made = f"{name}.int8"
    return [
        helper.make_node("Abs", [name], [f"{made}.size"]),
        helper.make_node("ReduceMax", [f"{made}.size", "int8.last"], [f"{made}.peak"]),
        helper.make_node("Mul", [f"{made}.peak", "int8.step"], [f"{made}.unit"]),
        helper.make_node("Max", [f"{made}.unit", "int8.least"], [f"{made}.scale"]),
        helper.make_node("Div", [name, f"{made}.scale"], [f"{made}.share"]),
        helper.make_node("QuantizeLinear", [f"{made}.share", "int8.one", "int8.zero"], [made]),
    ]


def _small(name: str, weight: NDArray[np.float32]) -> list[Any]:
    """A weight as bytes `[in, out]`, and the scale of each column, `[out]`."""
    scale = (np.abs(weight).max(axis=0) / WEIGHT).astype(np.float32)
    small = np.rint(weight / np.where(scale > 0, scale, 1)).astype(np.int8)
    return [
        numpy_helper.from_array(small, f"{name}.int8"),
        numpy_helper.from_array(scale, f"{name}.int8.scale"),
    ]


def _product(node: Any) -> list[Any]:
    """The nodes that stand for a product of values and a weight that are rounded already."""
    (values, weight), result = (f"{name}.int8" for name in node.input), node.output[0]
    whole, number, column = (f"{result}.{part}" for part in ("whole", "number", "column"))
    return [
        helper.make_node("MatMulInteger", [values, weight, "int8.zero"], [whole]),
        helper.make_node("Cast", [whole], [number], to=onnx.TensorProto.FLOAT),
        helper.make_node("Mul", [number, f"{weight}.scale"], [column]),
        helper.make_node("Mul", [column, f"{values}.scale"], [result]),
    ]
