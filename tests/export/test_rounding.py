"""Embedding tables in fewer bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs the extra `train`")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from fenjie.export.rounding import round_tables, rounded  # noqa: E402


def program(table: np.ndarray):
    """A program that looks rows up in a table and doubles them."""
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["rows"]),
        helper.make_node("Add", ["rows", "rows"], ["scores"]),
    ]
    graph = helper.make_graph(
        nodes,
        "lookup",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["length"])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["length", table.shape[1]])],
        [numpy_helper.from_array(table, "table")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def run(made, ids: list[int]) -> np.ndarray:
    import onnxruntime

    session = onnxruntime.InferenceSession(made.SerializeToString())
    return session.run(None, {"ids": np.array(ids)})[0]


@pytest.mark.parametrize(
    ("tables", "error", "share"), [("float32", 0, 1), ("float16", 1e-3, 0.5), ("int8", 1e-2, 0.32)]
)
def test_round_tables(tables: str, error: float, share: float, tmp_path: Path) -> None:
    table = np.random.default_rng(0).normal(size=(2000, 32)).astype(np.float32)
    table[0] = 0
    made = program(table)
    before = made.ByteSize()
    round_tables(made, tables)
    onnx.checker.check_model(made)
    assert made.ByteSize() < share * before + 1000
    ids = [0, 1, 1999, 7]
    found = run(made, ids)
    assert np.abs(found - 2 * table[ids]).max() <= error * np.abs(table[ids]).max() * 2
    assert not found[0].any()


def test_short_rows_become_float16() -> None:
    table = np.random.default_rng(0).normal(size=(40_000, 1)).astype(np.float32)
    made = program(table)
    round_tables(made, "int8")
    assert np.abs(run(made, [1, 5]) - 2 * table[[1, 5]]).max() < 1e-2
    assert made.ByteSize() < 90_000


def test_small_tables_stay() -> None:
    table = np.ones((10, 10), dtype=np.float32) / 3
    made = program(table)
    round_tables(made, "int8")
    assert (run(made, [1]) == 2 * table[[1]]).all()


def test_the_largest_value_of_a_row_is_kept() -> None:
    small, scale = rounded(np.array([[-127.0, 1.4], [0.0, 0.0]], dtype=np.float32), "int8")
    assert small.tolist() == [[-127, 1], [0, 0]]
    assert scale is not None
    assert scale.tolist() == [[1.0], [0.0]]
