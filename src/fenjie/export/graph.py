"""ONNX programs, written operation by operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.compose
from numpy.typing import DTypeLike, NDArray
from onnx import helper, numpy_helper

OPSET, IR = 18, 9
"""The versions of ONNX, which ONNX Runtime reads from 1.14 on."""

Shape = Sequence[str | int]
"""Sizes; one that is free has a name."""


class Graph:
    """An ONNX program in the making: each call of `add` writes one operation."""

    def __init__(self, prefix: str = "") -> None:
        """Begin an empty program.

        Args:
            prefix: what the names of its values begin with; for the body of a loop, which sees the
                names of the program around it.
        """
        self._prefix = prefix
        self._nodes: list[Any] = []
        self._inputs: list[Any] = []
        self._stored: list[Any] = []
        self._shapes: list[Any] = []

    def input(self, name: str, shape: Shape, dtype: DTypeLike = np.int64) -> str:
        """An input of the program."""
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self._inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def constant(self, values: NDArray[Any] | Sequence[int]) -> str:
        """A constant of the program; plain integers are int64."""
        name = f"{self._prefix}constant.{len(self._stored)}"
        self._stored.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def add(self, operation: str, *inputs: str | NDArray[Any] | Sequence[int], **how: Any) -> str:
        """Write an operation.

        Args:
            operation: its name in ONNX.
            *inputs: values by their names, or constants.
            **how: its attributes.

        Returns:
            The name of its value.
        """
        return self.several(1, operation, *inputs, **how)[0]

    def several(
        self, count: int, operation: str, *inputs: str | NDArray[Any] | Sequence[int], **how: Any
    ) -> list[str]:
        """Write an operation that gives several values, and return their names; see `add`."""
        name = f"{self._prefix}{operation}.{len(self._nodes)}"
        given = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        names = [name, *(f"{name}.{number}" for number in range(1, count))]
        self._nodes.append(helper.make_node(operation, given, names, name, **how))
        return names

    def inline(self, program: Any, inputs: Mapping[str, str], prefix: str) -> str:
        """Write all operations of another program.

        Args:
            program: an ONNX program with one output and without functions, of the version `OPSET`.
            inputs: the values that become its inputs.
            prefix: stands before its names here.

        Returns:
            The name of its output.
        """
        opset = {entry.domain: entry.version for entry in program.opset_import}
        assert opset == {"": OPSET} and not program.functions, "a program of another kind"
        graph = onnx.compose.add_prefix(program, prefix).graph
        self._nodes += [
            helper.make_node("Identity", [value], [f"{prefix}{name}"])
            for name, value in inputs.items()
        ]
        self._nodes += graph.node
        self._stored += graph.initializer
        (output,) = graph.output
        return str(output.name)

    def shaped(self, value: str, shape: Shape) -> str:
        """Say what the shape of a value is, where ONNX Runtime cannot find that out.

        It joins a sum and the norm behind it to one operation only where it knows their shapes.
        """
        self._shapes.append(helper.make_tensor_value_info(value, onnx.TensorProto.FLOAT, shape))
        return value

    def body(self, name: str, values: Sequence[str]) -> Any:
        """The body of a loop that gives some float values, in the order of the loop's."""
        outputs = [helper.make_tensor_value_info(v, onnx.TensorProto.FLOAT, None) for v in values]
        return helper.make_graph(self._nodes, name, self._inputs, outputs, self._stored)

    def program(self, name: str, value: str, shape: Shape) -> Any:
        """The program that gives one value.

        Args:
            name: the name of the output.
            value: the value.
            shape: its shape.
        """
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        output = helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        graph = helper.make_graph(
            self._nodes, "model", self._inputs, [output], self._stored, value_info=self._shapes
        )
        made = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR
        )
        onnx.checker.check_model(made)
        return made
