"""Windows over a lattice give what dense attention within each window gives."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from fenjie.nn.attention.base import AttentionConfig
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.span_positions import SpanPositions
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.nn.encoders.windowed_lattice import LatticeWindows, WindowPattern
from tests.lattices import check_function, moved, sentences
from tests.reference import dswa

DIM, HEADS = 16, 2
DENSE = SelectionConfig()


class Spans(nn.Module):
    """Windows over a lattice, with what makes their R."""

    def __init__(self, config: WindowConfig, distances: Any, selection: SelectionConfig) -> None:
        super().__init__()
        self.positions = SpanPositions(DIM, distances)
        self.windows = LatticeWindows(
            AttentionConfig(
                DIM, HEADS, scale=True, key_projection=distances != "two", selection=selection,
                windows=config,
            )
        )  # fmt: skip


@pytest.mark.parametrize("word_queries", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "distances", ["four", *(pytest.param(one, marks=pytest.mark.slow) for one in ("two", "head"))]
)
@pytest.mark.parametrize(
    ("config", "selection"),
    [
        (WindowConfig(2, 4), DENSE),
        (WindowConfig(3, 2, shared=True), DENSE),
        (WindowConfig(4, 2, residual=False), SelectionConfig("threshold", keep=1)),
        (WindowConfig(8, 1), SelectionConfig("top-k", keep=2)),
    ],
    ids=str,
)
def test_lattice(
    config: WindowConfig, selection: SelectionConfig, distances: str, word_queries: bool
) -> None:
    torch.manual_seed(5)
    module = moved(Spans(config, distances, selection), seed=None)
    lattice = sentences([9, 14, 1, 4], [6, 9, 0, 2])
    tokens = lattice.tokens
    pattern = WindowPattern.make(tokens, module.positions, config, word_queries=word_queries)
    tails = tokens.heads + tokens.lengths - 1
    spans = list(zip(tokens.heads.tolist(), tails.tolist(), strict=True))

    def literal(x: Tensor) -> Tensor:
        parts = [
            dswa.over_lattice(module.windows, module.positions, x[start:stop], spans[start:stop])
            for start, stop in pairwise(tokens.sentences)
        ]
        joined = torch.cat(parts)
        return joined if word_queries else joined[tokens.characters]

    x = torch.randn(len(spans), DIM, dtype=torch.float64)
    check_function(module, x, lambda given: module.windows(given, pattern).x, literal)
