"""Matrix products in whole numbers of 8 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs the extra `train`")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from fenjie.errors import FenjieError  # noqa: E402
from fenjie.export.products import VALUE, WEIGHT, round_products  # noqa: E402


def program(*weights: np.ndarray) -> Any:
    """A program that multiplies what it is given with each of some weights."""
    names = [f"weight{number}" for number in range(len(weights))]
    nodes = [helper.make_node("MatMul", ["x", name], [f"y{name}"]) for name in names]
    graph = helper.make_graph(
        nodes,
        "products",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", "length", "dim"])],
        [result(f"y{name}") for name in names],
        [numpy_helper.from_array(*each) for each in zip(weights, names, strict=True)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def result(name: str) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", "length", "out"])


def run(made: Any, x: np.ndarray) -> list[np.ndarray]:
    import onnxruntime

    return onnxruntime.InferenceSession(made.SerializeToString()).run(None, {"x": x})


def rounded(values: np.ndarray, most: int, axis: int) -> np.ndarray:
    """Values as whole multiples of their scale."""
    scale = np.maximum(np.abs(values).max(axis, keepdims=True) / most, 1e-30)
    return np.rint(values / scale) * scale


@pytest.fixture
def numbers() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0).normal
    return tuple(draw(size=size).astype(np.float32) for size in [(3, 5, 64), (64, 96), (64, 32)])


def test_round_products(numbers: tuple[np.ndarray, ...]) -> None:
    x, first, second = numbers
    x[0, 0] = second[:, 3] = 0
    made = program(first, second)
    before = made.ByteSize()
    round_products(made, [first, second])
    onnx.checker.check_model(made, full_check=True)
    assert made.ByteSize() < 0.25 * before + 2000
    assert sum(node.op_type == "QuantizeLinear" for node in made.graph.node) == 1, "x once"
    for found, weight in zip(run(made, x), (first, second), strict=True):
        expected = rounded(x, VALUE, -1) @ rounded(weight, WEIGHT, 0)
        assert np.abs(found - expected).max() < 1e-3
        exact = x @ weight
        assert np.abs(found - exact).max() < 0.03 * np.abs(exact).max()
        assert not found[0, 0].any()


def test_a_row_depends_on_itself_alone(numbers: tuple[np.ndarray, ...]) -> None:
    x, weight, _ = numbers
    x[1] *= 100
    made = program(weight)
    round_products(made, [weight])
    together = run(made, x)[0]
    for number in range(3):
        assert (run(made, x[number : number + 1])[0] == together[number]).all()
        assert (run(made, x[number : number + 1, :2])[0] == together[number, :2]).all()


def test_other_products_stay(numbers: tuple[np.ndarray, ...]) -> None:
    x, first, second = numbers
    made = program(first, second)
    round_products(made, [second])
    assert np.abs(run(made, x)[0] - x @ first).max() < 1e-4
    assert [node.op_type for node in made.graph.node].count("MatMul") == 1


def test_a_weight_that_serves_twice_is_stored_once(numbers: tuple[np.ndarray, ...]) -> None:
    x, weight, _ = numbers
    made = program(weight)
    made.graph.node.append(helper.make_node("MatMul", ["x", "weight0"], ["again"]))
    made.graph.output.append(result("again"))
    round_products(made, [weight])
    onnx.checker.check_model(made)
    one, other = run(made, x)
    assert (one == other).all()


def test_no_such_weight(numbers: tuple[np.ndarray, ...]) -> None:
    _, first, second = numbers
    with pytest.raises(FenjieError, match="no product with a matrix of an encoder"):
        round_products(program(first), [second])
