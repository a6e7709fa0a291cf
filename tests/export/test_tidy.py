"""Tidied programs compute the same in less space."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from fenjie.export.rounding import round_tables
from fenjie.export.tidy import tidy


def program(rows: int, linear: np.ndarray) -> onnx.ModelProto:
    """Rows of two tables in one, after a linear map, in the shape of heads."""
    random = np.random.default_rng(0)
    stored = {
        "first": random.normal(size=(rows, 16)).astype(np.float32),
        "second": random.normal(size=(rows, 16)).astype(np.float32),
        "linear": linear.astype(np.float32),
        "two": np.array([2, 8]),
        "one": np.array([1]),
        "unused": np.ones(4, dtype=np.float32),
    }
    nodes = [
        helper.make_node("Concat", ["first", "second"], ["both"], axis=0),
        helper.make_node("MatMul", ["both", "linear"], ["table"]),
        helper.make_node("Gather", ["table", "ids"], ["rows"]),
        helper.make_node("Shape", ["ids"], ["shape"]),
        helper.make_node("Concat", ["shape", "two"], ["wanted"], axis=0),
        helper.make_node("Reshape", ["rows", "wanted"], ["scores"]),
    ]
    value = helper.make_tensor_value_info
    width = linear.shape[1]
    graph = helper.make_graph(
        nodes,
        "lookup",
        [value("ids", TensorProto.INT64, ["batch", "length"]), value("counts", 1, ["batch"])],
        [value("scores", TensorProto.FLOAT, ["batch", "length", 2, width // 2])],
        [numpy_helper.from_array(array, name) for name, array in stored.items()],
        value_info=[value("rows", TensorProto.FLOAT, ["batch", "length", width])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def run(made: onnx.ModelProto) -> np.ndarray:
    session = onnxruntime.InferenceSession(made.SerializeToString())
    feeds = {"ids": np.array([[0, 3, 7]]), "counts": np.ones(1, dtype=np.float32)}
    read = {value.name for value in session.get_inputs()}
    return session.run(None, {name: x for name, x in feeds.items() if name in read})[0]


def test_tables_shapes_and_what_is_unused() -> None:
    made = program(1000, np.random.default_rng(1).normal(size=(16, 16)))
    expected, before = run(made), made.ByteSize()
    tidy(made)
    onnx.checker.check_model(made)
    assert np.allclose(run(made), expected, atol=1e-6)
    assert [node.op_type for node in made.graph.node] == ["Gather", "Reshape"]
    assert [value.name for value in made.graph.input] == ["ids"]
    assert made.ByteSize() < before
    round_tables(made, "int8")
    assert made.ByteSize() < before / 2
    assert np.abs(run(made) - expected).max() < 0.1


def test_a_table_that_would_take_more_space_is_left_to_onnx_runtime() -> None:
    made = program(1000, np.ones((16, 16)).repeat(64, axis=1))
    made.graph.initializer[3].CopyFrom(numpy_helper.from_array(np.array([2, 512]), "two"))
    expected = run(made)
    tidy(made)
    assert "MatMul" in {node.op_type for node in made.graph.node}
    assert np.allclose(run(made), expected, atol=1e-6)
