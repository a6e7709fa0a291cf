"""Selections of keys in evaluation on padded batches, by operations that an export can hold."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def softmax_from(scores: Tensor, cut: Tensor) -> Tensor:
    """The softmax over the keys whose scores reach a cut: `[..., keys]` and `[..., 1]`."""
    return torch.softmax(torch.where(scores < cut, -torch.inf, scores), dim=-1)


def last_of_best(scores: Tensor, keep: int) -> Tensor:
    """The lowest of the best scores of each row; -inf, which nothing is below, where they are few.

    `[..., keys] -> [..., 1]`
    """
    wide = F.pad(scores, (0, keep), value=-torch.inf)
    return wide.topk(keep, dim=-1).values.amin(-1, keepdim=True)


def softmax_above(scores: Tensor, least: int) -> Tensor:
    """The softmax over the keys of each query whose scores are at least 0 (ATSSA, eq. 8 and 16).

    The best keys are looked for in those rows alone that would keep too few. Of the operations that
    tell scores by their sign, ONNX Runtime computes these two with vectors: they take half the time
    of a comparison and a choice.

    Args:
        scores: `[batch, heads, queries, keys]`, -inf at keys that are hidden.
        least: the number of keys that are kept at least, if there are so many.
    """
    above = F.leaky_relu(scores, 1e30)
    if torch.compiler.is_exporting():
        # 0 or 1: scores that are not 0 differ from it by far more than 1e-30
        how: dict[str, Any] = {"alpha": 1e30, "beta": 1.0}
        reached = torch.onnx.ops.symbolic(
            "HardSigmoid", (scores,), how, dtype=scores.dtype, shape=scores.shape
        )
    else:
        reached = (scores >= 0).to(scores.dtype)
    few = (reached.sum(-1) < min(least, scores.shape[-1])).nonzero()
    # ONNX Runtime finds no best keys where there are no rows: the first one is always there.
    few = torch.cat((few, few.new_zeros(1, 3)))
    places = few.unbind(1)
    rows = scores[places]
    cut = last_of_best(rows, least).clamp(max=0)
    rows = torch.where(rows < cut, -torch.inf, rows)
    return torch.softmax(above.index_put(places, rows), dim=-1)


def sparsemax(scores: Tensor) -> Tensor:
    """Martins and Astudillo (2016), algorithm 1: `[..., keys]`, -inf at keys that are hidden."""
    scores = _below_best(scores)
    best = scores.sort(dim=-1, descending=True).values
    kept = (_ranks(best) * best > best.cumsum(-1) - 1).to(best.dtype)
    cut = ((best * kept).sum(-1, keepdim=True) - 1) / kept.sum(-1, keepdim=True)
    return torch.relu(scores - cut)


def entmax(scores: Tensor) -> Tensor:
    """Peters et al. (2019), algorithm 2, with α = 1.5: `[..., keys]`, -inf at hidden keys."""
    scores = _below_best(scores) / 2
    best = scores.sort(dim=-1, descending=True).values
    ranks = _ranks(best)
    mean, square = best.cumsum(-1) / ranks, (best * best).cumsum(-1) / ranks
    spread = ranks * (square - mean * mean)
    cuts = mean - torch.relu((1 - spread) / ranks).sqrt()
    last = (cuts <= best).sum(-1, keepdim=True) - 1
    above: Tensor = torch.relu(scores - cuts.gather(-1, last))
    return above * above


def _below_best(scores: Tensor) -> Tensor:
    """How far each score is below the best of its row: 0 to -3, which is further than counts."""
    return (scores - scores.amax(-1, keepdim=True)).clamp(min=-3)


def _ranks(best: Tensor) -> Tensor:
    """1, 2, … up to the number of keys: `[keys]`."""
    return torch.arange(1, best.shape[-1] + 1, device=best.device).to(best.dtype)
