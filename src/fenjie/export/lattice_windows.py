"""Dilated, shifted windows over the lattice of FLAT in ONNX programs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.export.parts import Parts, array, scalar
from fenjie.export.span_tables import encoded, position_maps
from fenjie.export.windows import Frame, RoundsWriter
from fenjie.nn.attention.span_positions import SpanPositions
from fenjie.nn.attention.windows import WindowAttention
from fenjie.nn.encoders.windowed_lattice import LatticeWindows
from fenjie.runtime.lattices import WINDOW


class Spans(NamedTuple):
    """Heads and tails of the tokens of a batch, and which of them are real: `[batch, tokens]`."""

    heads: str
    tails: str
    real: str


def write_lattice_windows(
    parts: Parts, windows: LatticeWindows, positions: SpanPositions, x: str, spans: Spans
) -> str:
    """What `fenjie.nn.encoders.windowed_lattice.LatticeWindows` gives for all tokens.

    Args:
        parts: the program.
        windows: the module.
        positions: what makes R.
        x: the tokens, those of a sentence in any order, `[batch, tokens, dim]`.
        spans: what they are.

    Returns:
        `[batch, tokens, dim]` in the same order; anything at padding.
    """
    add, dim = parts.add, positions.dim
    key = add("Add", add("Mul", spans.heads, [WINDOW]), spans.tails)
    key = add("Where", spans.real, key, scalar(WINDOW * WINDOW))
    order = _sorted(parts, key)
    heads, tails, real = (add("GatherElements", each, order, axis=1) for each in spans)
    rounds = _LatticeRounds(parts, windows, positions, Spans(heads, tails, real))
    mixed = rounds.all(_rows(parts, x, order, dim))
    return _rows(parts, mixed, _sorted(parts, order), dim)


def _sorted(parts: Parts, keys: str) -> str:
    """Where the smallest key of each row is, where the next one, …: `[batch, tokens]`."""
    count = parts.add("Shape", keys, start=1)
    return parts.graph.several(2, "TopK", keys, count, axis=1, largest=0, sorted=1)[1]


def _rows(parts: Parts, x: str, order: str, dim: int) -> str:
    """The tokens of each sentence in another order, `[batch, tokens, dim]`."""
    add = parts.add
    batch, tokens = (add("Squeeze", add("Shape", order, start=at, end=at + 1)) for at in (0, 1))
    first = add("Mul", add("Range", scalar(0), batch, scalar(1)), tokens)
    index = add("Add", order, add("Unsqueeze", first, [1]))
    return add("Gather", add("Reshape", x, [-1, dim]), index)


class _LatticeRounds(RoundsWriter):
    """R of each pair is looked up in tables of its four distances."""

    def __init__(
        self, parts: Parts, windows: LatticeWindows, positions: SpanPositions, spans: Spans
    ) -> None:
        super().__init__(parts, windows, spans.real)
        self.positions, self.projections = positions, windows.position
        edges = (self.add("Unsqueeze", each, [2]) for each in (spans.heads, spans.tails))
        self.edges = self.add("Concat", *edges, axis=2)
        maps: dict[str, NDArray[np.float32]] = {"hh": np.eye(positions.dim, dtype=np.float32)}
        if positions.distances != "head":
            maps = position_maps(positions)
        table = encoded(1 - WINDOW, WINDOW - 1, positions.dim)
        self.tables = {name: parts.graph.constant(table @ each) for name, each in maps.items()}

    def near(self, number: int, attention: WindowAttention, frame: Frame, position: str) -> str:
        """Eq. 4 to 11 for the pairs of a window."""
        add, dim = self.add, self.positions.dim
        edges = frame.split(self.edges)  # (windows, size, 2)
        found = []
        for name, table in self.tables.items():
            mine, theirs = (add("Slice", edges, *_column("ht".index(end))) for end in name)
            # (windows, size, 1) - (windows, 1, size)
            distance = add("Sub", mine, add("Transpose", theirs, perm=[0, 2, 1]))
            found.append(add("Gather", table, add("Add", distance, [WINDOW - 1])))
        r = found[0] if self.positions.distances == "head" else add("Relu", add("Sum", *found))
        projection = self.projections[0 if self.windows.config.shared else number]
        keys = self.parts.times(r, array(projection.get_parameter("weight")))
        product = add("Mul", keys, add("Unsqueeze", position, [2]))
        product = add("Reshape", product, [0, 0, 0, attention.heads, dim // attention.heads])
        return add("Transpose", add("ReduceSum", product, [4], keepdims=0), perm=[0, 3, 1, 2])


def _column(number: int) -> tuple[list[int], list[int], list[int]]:
    return [number], [number + 1], [2]
