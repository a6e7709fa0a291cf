"""Selections of keys for export: the same weights, by operations that no number decides about.

How many keys a sentence has, or which queries keep too few, is known only when a program runs. So
every query is treated alike here, at the cost of some arithmetic.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.attention.selection import Selection, SelectionConfig
from fenjie.nn.attention.thresholds import Threshold


class UnrolledSelection(nn.Module):
    """A `Selection` of one group in evaluation."""

    def __init__(self, selection: Selection, group: int) -> None:
        """Take the selection of several groups and the number of one."""
        super().__init__()
        self.config: SelectionConfig = selection.config
        self.threshold: Threshold | None = None
        if isinstance(selection, Threshold):
            weight = selection.weight
            dim, heads = (1, 1) if weight is None else (weight.shape[-1] // 4, weight.shape[-2])
            self.threshold = Threshold(self.config, dim, heads)
            if weight is not None:
                self.threshold.weight = nn.Parameter(weight[group, 0].detach().clone())

    def forward(self, scores: Tensor, x: Tensor, mask: Tensor) -> Tensor:
        """The weights of the keys.

        Args:
            scores: `[batch, heads, query, key]`, -inf at keys that are hidden.
            x: what the queries are made of, `[batch, length, dim]`.
            mask: the real positions, `[batch, length]`, bool.

        Returns:
            `[batch, heads, query, key]`.
        """
        kind = self.config.kind
        if kind in ("sparsemax", "entmax"):
            # What is so far below the best key has no weight, and there is no -inf to add up.
            apart = (scores - scores.amax(-1, keepdim=True)).clamp(min=-3)
            return _sparsemax(apart) if kind == "sparsemax" else _entmax(apart)
        if kind != "dense":
            cut = _last_of_best(scores, max(self.config.keep, 1))
            if self.threshold is not None:
                cut = torch.minimum(cut, self._thresholds(x, mask))
            scores = torch.where(scores < cut, -torch.inf, scores)
        return torch.softmax(scores, dim=-1)

    def _thresholds(self, x: Tensor, mask: Tensor) -> Tensor:
        assert self.threshold is not None
        real = mask[..., None].to(x.dtype)
        mean = (x * real).sum(-2, keepdim=True) / real.sum(-2, keepdim=True)
        made = self.threshold.thresholds(x, mean)
        return x.new_zeros(()) if made is None else made[..., None]


def _last_of_best(scores: Tensor, keep: int) -> Tensor:
    """The lowest of the best scores of each row; -inf, which nothing is below, where they are few.

    `[..., keys] -> [..., 1]`
    """
    wide = F.pad(scores, (0, keep), value=-torch.inf)
    return wide.topk(keep, dim=-1).values.amin(-1, keepdim=True)


def _ranks(best: Tensor) -> Tensor:
    """1, 2, … up to the number of keys: `[keys]`."""
    return torch.arange(1, best.shape[-1] + 1, device=best.device).to(best.dtype)


def _sparsemax(scores: Tensor) -> Tensor:
    """Martins and Astudillo (2016), algorithm 1."""
    best = scores.sort(dim=-1, descending=True).values
    kept = (_ranks(best) * best > best.cumsum(-1) - 1).to(best.dtype)
    cut = ((best * kept).sum(-1, keepdim=True) - 1) / kept.sum(-1, keepdim=True)
    return torch.relu(scores - cut)


def _entmax(scores: Tensor) -> Tensor:
    """Peters et al. (2019), algorithm 2: α = 1.5."""
    scores = scores / 2
    best = scores.sort(dim=-1, descending=True).values
    ranks = _ranks(best)
    mean, square = best.cumsum(-1) / ranks, (best * best).cumsum(-1) / ranks
    spread = ranks * (square - mean * mean)
    cuts = mean - torch.relu((1 - spread) / ranks).sqrt()
    last = (cuts <= best).sum(-1, keepdim=True) - 1
    above: Tensor = torch.relu(scores - cuts.gather(-1, last))
    return above * above
