"""Traced ONNX programs, tidied up: tables as they are read, plain shapes, nothing unused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from fenjie.runtime.session import options


def tidy(program: Any) -> None:
    """Make a program smaller and faster; it computes the same."""
    # The exporter notes for each node where in the source it comes from: paths of this machine.
    for part in (*program.graph.node, *program.graph.value_info, *program.graph.input):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    program.graph.ClearField("metadata_props")
    fold_tables(program)
    plain_reshapes(program)
    sizes_without_scalars(program)
    drop_unused(program)


def fold_tables(program: Any) -> None:
    """Store tables as their rows are read, where that takes little more space.

    A table may be computed from weights: two parts in one, or rows after a linear map. ONNX Runtime
    would compute it again whenever it loads the program, and its rows could not be rounded.
    """
    graph = program.graph
    stored = {value.name: value for value in graph.initializer}
    made_by = {name: node for node in graph.node for name in node.output}
    for node in list(graph.node):
        if node.op_type != "Gather" or node.input[0] in stored or node.input[1] in stored:
            continue
        folded = f"{node.input[0]}.folded"
        if folded in stored:
            node.input[0] = folded
            continue
        needed, weights = _origin(node.input[0], made_by, stored)
        if needed is None:
            continue
        table = _evaluate(program, node.input[0], needed, [stored[name] for name in weights])
        if table.nbytes <= 2 * sum(numpy_helper.to_array(stored[name]).nbytes for name in weights):
            value = numpy_helper.from_array(table, folded)
            graph.initializer.append(value)
            stored[value.name] = value
            node.input[0] = value.name


def _origin(
    name: str, made_by: Mapping[str, Any], stored: Mapping[str, Any]
) -> tuple[list[Any] | None, list[str]]:
    """The nodes that make a value of stored ones alone, in order, and those; None if others do."""
    nodes: list[Any] = []
    weights: list[str] = []
    seen: set[str] = set()

    def visit(value: str) -> bool:
        if value in seen or not value:
            return True
        seen.add(value)
        if value in stored:
            weights.append(value)
            return True
        if value not in made_by:
            return False
        node = made_by[value]
        if not all(map(visit, node.input)):
            return False
        if node not in nodes:
            nodes.append(node)
        return True

    return (nodes if visit(name) else None), weights


def _evaluate(program: Any, name: str, nodes: Sequence[Any], weights: Sequence[Any]) -> Any:
    """The value of stored ones that some nodes make."""
    output = helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "table", [], [output], weights)
    made = helper.make_model(
        graph, opset_imports=program.opset_import, ir_version=program.ir_version
    )
    return onnxruntime.InferenceSession(made.SerializeToString(), options(1)).run([name], {})[0]


def plain_reshapes(program: Any) -> None:
    """Let reshapes keep axes and find one out, where their new shape is put together for that."""
    graph = program.graph
    values = (*graph.value_info, *graph.input, *graph.output)
    shapes = {value.name: _sizes(value) for value in values}
    stored = {value.name for value in graph.initializer}
    made_by = {name: node for node in graph.node for name in node.output}
    nodes = []
    for node in graph.node:
        nodes.append(node)
        if node.op_type != "Reshape" or node.input[1] in stored:
            continue
        old, new = shapes.get(node.input[0]), shapes.get(node.output[0])
        parts = list(made_by[node.input[1]].input) if node.input[1] in made_by else []
        if old is None or new is None:
            continue
        wanted: list[int | str] = [
            0 if axis < len(old) and old[axis] == size else size for axis, size in enumerate(new)
        ]
        free = [axis for axis, size in enumerate(wanted) if isinstance(size, str)]
        if len(free) > 1 and len(parts) != len(wanted):
            continue
        if free:
            wanted[free.pop()] = -1
        name = f"{node.output[0]}.shape"
        if not free:
            value = numpy_helper.from_array(np.array(wanted, dtype=np.int64), name)
            graph.initializer.append(value)
        else:
            for axis, size in enumerate(wanted):
                if axis not in free:
                    parts[axis] = f"{name}.{axis}"
                    value = numpy_helper.from_array(np.array([size], dtype=np.int64), parts[axis])
                    graph.initializer.append(value)
            nodes.insert(-1, helper.make_node("Concat", parts, [name], axis=0))
        node.input[1] = name
        del node.attribute[:]
    del graph.node[:]
    graph.node.extend(nodes)


def sizes_without_scalars(program: Any) -> None:
    """Compute sizes with which something is sliced as vectors of one number, as they come."""
    graph = program.graph
    stored = {value.name: numpy_helper.to_array(value) for value in graph.initializer}
    made_by = {name: node for node in graph.node for name in node.output}
    for node in graph.node:
        if node.op_type != "Reshape" or stored.get(node.input[1], np.zeros(2)).tolist() != [-1]:
            continue
        sum_of = made_by.get(node.input[0])
        if sum_of is None or sum_of.op_type not in ("Add", "Sub"):
            continue
        parts = []
        for name in sum_of.input:
            if name in stored and not stored[name].shape:
                parts.append(name)
            elif name in made_by and made_by[name].op_type == "Squeeze":
                size = made_by[name].input[0]
                if size in made_by and made_by[size].op_type == "Shape":
                    parts.append(size)
        if len(parts) == 2 and any(name not in stored for name in parts):
            node.CopyFrom(helper.make_node(sum_of.op_type, parts, node.output, node.name))


def _sizes(value: Any) -> list[int | str] | None:
    """Sizes, those that are free by name; None where one is not known."""
    dims = value.type.tensor_type.shape.dim
    known = all(dim.dim_param or dim.HasField("dim_value") for dim in dims)
    return [dim.dim_param or dim.dim_value for dim in dims] if known else None


def drop_unused(program: Any) -> None:
    """Drop the nodes and stored values that lead to no output, and counts that nothing reads."""
    graph = program.graph
    used, kept = {value.name for value in graph.output}, []
    for node in reversed(graph.node):
        if used & set(node.output):
            kept.append(node)
            used.update(_reads(node))
    del graph.node[:]
    graph.node.extend(reversed(kept))
    values = [value for value in graph.initializer if value.name in used]
    del graph.initializer[:]
    graph.initializer.extend(values)
    inputs = [value for value in graph.input if value.name in used or value.name != "counts"]
    del graph.input[:]
    graph.input.extend(inputs)


def _reads(node: Any) -> Iterator[str]:
    """The values that a node reads, those in the body of a loop among them."""
    yield from node.input
    for attribute in node.attribute:
        for inner in attribute.g.node:
            yield from _reads(inner)
