"""The fast selections give what their equations give, in float64, gradients included."""

from __future__ import annotations

import pytest
import torch

from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.selections import make_selection
from tests.nn.attention.random_scores import DIM, HEADS, LENGTHS, sentences
from tests.reference import selections as literal


@pytest.mark.parametrize(
    "config, function",
    [
        (SelectionConfig("top-k", keep=1), lambda row: literal.best(row, 1)),
        (SelectionConfig("top-k", keep=4), lambda row: literal.best(row, 4)),
        (SelectionConfig("top-k", keep=40), lambda row: literal.best(row, 40)),
        (SelectionConfig("sparsemax"), lambda row: literal.projected(row, 1)),
        (SelectionConfig("entmax"), lambda row: literal.projected(row, 2)),
    ],
    ids=["top-1", "top-4", "top-40", "sparsemax", "entmax"],
)
@pytest.mark.parametrize("spread", [0.1, 1.0, 20.0])
def test_without_thresholds(config: SelectionConfig, function: object, spread: float) -> None:
    _, scores, mask = sentences()
    scores = (scores * spread).detach()
    weights, _ = make_selection(config, DIM, HEADS)(
        scores.masked_fill(~mask[:, None, None], -torch.inf)
    )
    for row, n in enumerate(LENGTHS):
        for head in range(HEADS):
            for query in range(n):
                expected = function(scores[row, head, query, :n])  # type: ignore[operator]
                found = weights[row, head, query]
                assert torch.allclose(found[:n], expected, rtol=0, atol=1e-9)
                assert (found[n:] == 0).all()
