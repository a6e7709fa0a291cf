"""The keys that a query keeps (`nn.attention.selections`) in ONNX programs, on padded batches."""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray

from fenjie.export.graph import Graph
from fenjie.export.parts import CharacterInputs, Parts, array
from fenjie.nn.attention.selection import Selection
from fenjie.nn.attention.thresholds import Threshold

DROPPED = np.array(-1e30, dtype=np.float32)
"""The score of a key that has no weight: one that is hidden, or not kept."""


def write_mean(graph: Graph, x: str, mask: str) -> str:
    """The mean of the real tokens of each sentence, `[batch, 1, dim]`.

    Args:
        graph: the program.
        x: `[batch, tokens, dim]`.
        mask: which of them are real, bool `[batch, tokens]`; one at least.
    """
    add = graph.add
    real = add("Unsqueeze", add("Cast", mask, to=onnx.TensorProto.FLOAT), [2])
    total = add("ReduceSum", add("Mul", x, real), [1])
    return add("Div", total, add("ReduceSum", real, [1]))


def write_thresholds(graph: Graph, selection: Selection, asking: str, mean: str) -> str | None:
    """What `Selection.thresholds` gives, `[batch, heads, queries]`; None where that is None.

    Args:
        graph: the program.
        selection: the selection, one without groups.
        asking: the inputs of the queries, `[batch, queries, dim]`.
        mean: what `write_mean` gave for the tokens of the sentence.
    """
    made = write_token_thresholds(graph, selection, asking, mean)
    return None if made is None else graph.add("Transpose", made, perm=[0, 2, 1])


def write_token_thresholds(
    graph: Graph, selection: Selection, asking: str, mean: str
) -> str | None:
    """The same as `write_thresholds`, the heads behind the queries: `[batch, queries, heads]`."""
    if not isinstance(selection, Threshold) or selection.weight is None:
        return None
    add = graph.add
    own, pooled, product, difference = np.split(array(selection.weight), 4, axis=-1)
    by_query = add("MatMul", asking, (own + difference).T)
    by_mean = add("MatMul", mean, (pooled - difference).T)
    by_product = add("MatMul", add("Mul", asking, mean), product.T)
    return add("Add", add("Add", by_query, by_mean), by_product)


def write_selection(
    graph: Graph, selection: Selection, scores: str, thresholds: str | None = None
) -> str:
    """The weights of the keys, `[batch, heads, queries, keys]`.

    Args:
        graph: the program.
        selection: the selection, in evaluation.
        scores: of the same shape, -1e30 at keys that are hidden.
        thresholds: what `write_thresholds` gave.
    """
    add, config = graph.add, selection.config
    if config.kind in ("sparsemax", "entmax"):
        return _sparsemax(graph, scores) if config.kind == "sparsemax" else _entmax(graph, scores)
    if config.kind == "top-k":
        scores = _kept(graph, scores, config.keep)
    elif config.kind == "threshold":
        scores = _above(graph, scores, thresholds, max(config.keep, 1))
    return add("Softmax", scores, axis=-1)


def select(
    parts: Parts, selection: Selection, scores: str, x: str, characters: CharacterInputs
) -> str:
    """`write_selection` where the characters `x`, `[batch, length, dim]`, are queries and keys."""
    graph, thresholds = parts.graph, None
    if isinstance(selection, Threshold):
        mean = write_mean(graph, x, characters.mask)
        thresholds = write_thresholds(graph, selection, x, mean)
    return write_selection(graph, selection, scores, thresholds)


def _kept(graph: Graph, scores: str, keep: int, highest: NDArray[np.float32] | None = None) -> str:
    """The scores of each query, its best keys alone, and all that reach `highest`."""
    add = graph.add
    # Where fewer keys are seen than are to be kept, hidden ones count: all that is seen stays.
    cut = add("ReduceMin", _best(graph, scores, keep), [-1])
    if highest is not None:
        cut = add("Min", cut, highest)
    return add("Where", add("Less", scores, cut), DROPPED, scores)


def _above(graph: Graph, scores: str, thresholds: str | None, least: int) -> str:
    """The scores of each query less its threshold, at keys that reach it: eq. 8 and 16 of ATSSA.

    What is taken off a row does not change its softmax. The best keys are looked for in those rows
    alone that would keep fewer than `least`. Of the operations that tell scores by their sign,
    ONNX Runtime computes these two with vectors: both take half the time of `Less` and `Where`.
    """
    add = graph.add
    if thresholds is not None:
        scores = add("Sub", scores, add("Unsqueeze", thresholds, [-1]))
    # Floats that differ do so by far more than 1e-30.
    above = add("LeakyRelu", scores, alpha=1e30)
    reached = add("HardSigmoid", scores, alpha=1e30, beta=1.0)  # 0 or 1
    keys = add("Cast", add("Shape", scores, start=-1), to=onnx.TensorProto.FLOAT)
    wanted = add("Min", keys, np.array([least], dtype=np.float32))
    few = add("NonZero", add("Less", add("ReduceSum", reached, [-1], keepdims=0), wanted))
    # TopK fails where there are no rows: the first one is always there.
    few = add("Concat", add("Transpose", few, perm=[1, 0]), np.zeros((1, 3), np.int64), axis=0)
    rows = _kept(graph, add("GatherND", scores, few), least, np.zeros((), np.float32))
    return add("ScatterND", above, few, rows)


def _best(graph: Graph, scores: str, keep: int | None = None) -> str:
    """The best scores of each query from high to low: as many as wanted, or all."""
    add = graph.add
    count = add("Shape", scores, start=-1)
    if keep is not None:
        count = add("Min", count, [keep])
    return graph.several(2, "TopK", scores, count, axis=-1)[0]


def _below_best(graph: Graph, scores: str) -> str:
    """How far each score is from the best of its row: 0 to -3, which is further than counts."""
    add = graph.add
    apart = add("Sub", scores, add("ReduceMax", scores, [-1]))
    return add("Max", apart, np.array(-3, dtype=np.float32))


def _ranks(graph: Graph, scores: str) -> str:
    """1, 2, … up to the number of keys, as float `[keys]`."""
    add = graph.add
    behind = add("Add", add("Squeeze", add("Shape", scores, start=-1)), np.array(1))
    ranks = add("Range", np.array(1), behind, np.array(1))
    return add("Cast", ranks, to=onnx.TensorProto.FLOAT)


def _sparsemax(graph: Graph, scores: str) -> str:
    """Martins and Astudillo (2016), algorithm 1."""
    add, one = graph.add, np.array(1, dtype=np.float32)
    scores = _below_best(graph, scores)
    best = _best(graph, scores)
    sums = add("Sub", add("CumSum", best, np.array(3)), one)
    kept = add("Greater", add("Mul", _ranks(graph, scores), best), sums)
    kept = add("Cast", kept, to=onnx.TensorProto.FLOAT)
    total = add("Sub", add("ReduceSum", add("Mul", best, kept), [-1]), one)
    cut = add("Div", total, add("ReduceSum", kept, [-1]))
    return add("Relu", add("Sub", scores, cut))


def _entmax(graph: Graph, scores: str) -> str:
    """Peters et al. (2019), algorithm 2: α = 1.5."""
    add, one = graph.add, np.array(1, dtype=np.float32)
    scores = add("Mul", _below_best(graph, scores), np.array(0.5, dtype=np.float32))
    best, ranks = _best(graph, scores), _ranks(graph, scores)
    mean = add("Div", add("CumSum", best, np.array(3)), ranks)
    square = add("Div", add("CumSum", add("Mul", best, best), np.array(3)), ranks)
    spread = add("Mul", ranks, add("Sub", square, add("Mul", mean, mean)))
    rest = add("Relu", add("Div", add("Sub", one, spread), ranks))
    cuts = add("Sub", mean, add("Sqrt", rest))
    kept = add("Cast", add("LessOrEqual", cuts, best), to=onnx.TensorProto.INT64)
    last = add("Sub", add("ReduceSum", kept, [-1]), np.array(1))
    above = add("Relu", add("Sub", scores, add("GatherElements", cuts, last, axis=-1)))
    return add("Mul", above, above)
