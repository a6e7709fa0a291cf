"""Selections for exports give the weights of those for training."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`")

from torch import Tensor  # noqa: E402

from fenjie.nn.attention.padded_selections import (  # noqa: E402
    entmax,
    last_of_best,
    softmax_from,
    sparsemax,
)
from fenjie.nn.attention.selection import Selection, SelectionConfig  # noqa: E402
from fenjie.nn.attention.selections import make_selection  # noqa: E402
from fenjie.nn.layout import padding  # noqa: E402


def padded(selection: Selection, scores: Tensor, thresholds: Tensor | None) -> Tensor:
    config = selection.config
    match config.kind:
        case "top-k":
            return softmax_from(scores, last_of_best(scores, config.keep))
        case "sparsemax":
            return sparsemax(scores)
        case "entmax":
            return entmax(scores)
    with padding():
        return selection(scores, thresholds).weights


@pytest.mark.parametrize(
    "config",
    [
        *(SelectionConfig("top-k", keep=keep) for keep in (1, 3, 20)),
        SelectionConfig("sparsemax"),
        SelectionConfig("entmax"),
        *(SelectionConfig("threshold", keep=keep) for keep in (0, 1, 3, 20)),
        *(SelectionConfig("threshold", dynamic=False, keep=keep) for keep in (0, 3)),
    ],
    ids=str,
)
def test_weights(config: SelectionConfig) -> None:
    torch.manual_seed(0)
    selection = make_selection(config, 8, 4).double().eval()
    for length in (1, 2, 9, 60):
        # 200 more, and all keys reach their thresholds.
        for spread, more in ((1, 0), (30, 0), (1, 200)):
            scores = torch.randn(3, 4, length, length).double() * spread + more
            x = torch.randn(3, length, 8).double()
            mask = torch.arange(length) < torch.tensor([length, 1, max(1, length // 3)])[:, None]
            scores = scores.masked_fill(~mask[:, None, None], -torch.inf)
            with torch.no_grad():
                thresholds = selection.thresholds(x, x.mean(1, keepdim=True))
                found = padded(selection, scores.clone(), thresholds)
                expected = selection(scores, thresholds).weights
            assert torch.allclose(found, expected, rtol=0, atol=1e-10)
