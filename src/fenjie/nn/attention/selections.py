"""The selections by their names, and all of them but the learnt threshold.

Dense is the softmax; the others give some keys a weight of exactly 0: explicit top-k (Zhao et al.
2019), sparsemax (Martins and Astudillo 2016), 1.5-entmax (Peters et al. 2019), and the learnt
threshold of ATSSA (Hu et al. 2022), which is in `fenjie.nn.attention.thresholds`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from fenjie.errors import needing
from fenjie.nn.attention.padded_selections import entmax, last_of_best, softmax_from, sparsemax
from fenjie.nn.attention.selection import Selected, Selection, SelectionConfig, top
from fenjie.nn.attention.thresholds import Threshold


class Dense(Selection):
    """All keys."""

    def select(self, scores: Tensor, thresholds: Tensor | None, share: Tensor | None) -> Selected:
        """The softmax."""
        return Selected(torch.softmax(scores, dim=-1))


class TopK(Selection):
    """The keys with the k highest scores (Zhao et al. 2019).

    Those as high as the k-th are kept, so ties may add to them.
    """

    def select(self, scores: Tensor, thresholds: Tensor | None, share: Tensor | None) -> Selected:
        """The softmax over the kept keys; the choice itself has no gradient."""
        if torch.compiler.is_exporting():
            return Selected(softmax_from(scores, last_of_best(scores, self.config.keep)))
        floor = top(scores.detach(), self.config.keep)
        return Selected(torch.softmax(scores.masked_fill(scores < floor, -torch.inf), dim=-1))


class Sparse(Selection):
    """Sparsemax or 1.5-entmax, by the package `entmax`."""

    def __init__(self, config: SelectionConfig) -> None:
        """Find the map.

        Raises:
            FenjieError: the package is not installed.
        """
        super().__init__(config)
        with needing(f'the selection "{config.kind}" needs the package', "train"):
            import entmax  # type: ignore[import-untyped]
        self._map: Any = entmax.sparsemax if config.kind == "sparsemax" else entmax.entmax15

    def select(self, scores: Tensor, thresholds: Tensor | None, share: Tensor | None) -> Selected:
        """The map of each row."""
        if torch.compiler.is_exporting():
            return Selected((sparsemax if self.config.kind == "sparsemax" else entmax)(scores))
        # A score this far below the best one has the weight 0, and there is no -inf to calculate
        # with: 1 below would do for sparsemax, 2 for entmax.
        lowest = scores.detach().amax(-1, keepdim=True) - 3
        return Selected(self._map(torch.where(scores < lowest, lowest, scores), dim=-1))


def make_selection(
    config: SelectionConfig, dim: int, heads: int, groups: int | None = None
) -> Selection:
    """The selection of one layer.

    Args:
        config: its settings.
        dim: size of the inputs of the queries.
        heads: attention heads.
        groups: for scores `[groups, batch, heads, queries, keys]`, each group with thresholds of
            its own; None where there are no groups.

    Raises:
        FenjieError: a package that it needs is not installed.
    """
    match config.kind:
        case "threshold":
            return Threshold(config, dim, heads, groups)
        case "dense":
            return Dense(config)
        case "top-k":
            return TopK(config)
        case "sparsemax" | "entmax":
            return Sparse(config)


def is_dense(selection: Selection) -> bool:
    """Whether a softmax will do: nothing is dropped, and nobody observes the weights."""
    return isinstance(selection, Dense) and selection.observed is None
