"""Which keys a query may see, and which of those it keeps.

A selection turns the scores of attention into weights. Dense is the softmax; the others give some
keys a weight of exactly 0: explicit top-k (Zhao et al. 2019), sparsemax (Martins and Astudillo
2016), 1.5-entmax (Peters et al. 2019), and the learnt threshold of ATSSA (Hu et al. 2022), which
is in `fenjie.nn.attention.thresholds`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, nn

from fenjie.errors import FenjieError, needing

Direction = Literal["forward", "center", "backward"]
Kind = Literal["dense", "top-k", "sparsemax", "entmax", "threshold"]


@dataclass(frozen=True)
class SelectionConfig:
    """Which keys a query keeps; the defaults of the threshold are ATSSA's (section 5.1).

    Attributes:
        kind: `dense` keeps all keys. `top-k` keeps those with the `keep` highest scores.
            `sparsemax` and `entmax` (α = 1.5) keep those that their projection leaves a weight.
            `threshold` keeps those whose score reaches a threshold learnt for each query and head.
        keep: for `top-k` how many keys are kept; for `threshold` how many are kept at least
            (eq. 8), 0 for no such floor. Where a query sees fewer keys, all of them.
        amplification: α of eq. 9, how steep the step is in training; 1 for none.
        dynamic: whether thresholds are learnt (eq. 7); else they are 0.
        temperature: τ of eq. 17.
        soft: whether training mixes with the soft sample of eq. 17, instead of with its rounded
            value and the gradient of the soft one (straight-through).
        sparsity: λ of eq. 19.
    """

    kind: Kind = "dense"
    keep: int = 3
    amplification: float = 50.0
    dynamic: bool = True
    temperature: float = 1.0
    soft: bool = False
    sparsity: float = 4e-6

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            FenjieError: a selection cannot have them.
        """
        least = 1 if self.kind == "top-k" else 0
        if self.keep < least:
            raise FenjieError(f"keep must be at least {least}; found {self.keep}")
        for name in ("amplification", "temperature"):
            if not getattr(self, name) > 0:
                raise FenjieError(f"{name} must be above 0; found {getattr(self, name)}")
        if not self.sparsity >= 0:
            raise FenjieError(f"sparsity must be at least 0; found {self.sparsity}")


class Observed(NamedTuple):
    """What a selection has made of some queries.

    Attributes:
        weights: `[..., heads, queries, keys]`, 0 at keys that are not kept.
        seen: which keys were there to choose from, of the same shape, bool.
    """

    weights: Tensor
    seen: Tensor


class Selection(nn.Module, ABC):
    """From scores to weights; a subclass says how."""

    def __init__(self, config: SelectionConfig) -> None:
        super().__init__()
        self.config = config
        self.penalties: list[Tensor] = []
        self.observed: list[Observed] | None = None

    def thresholds(self, asking: Tensor, mean: Tensor) -> Tensor | None:
        """What `forward` wants for each query, from what the queries are made of (eq. 7).

        Args:
            asking: the inputs of the queries, `[..., queries, dim]`.
            mean: the mean of the inputs over the real tokens of a sentence, `[..., 1, dim]`, or
                one for each query.

        Returns:
            `[..., heads, queries]`; None where the selection has no thresholds that are learnt.
        """
        return None

    def forward(
        self, scores: Tensor, thresholds: Tensor | None = None, share: Tensor | None = None
    ) -> Tensor:
        """Select and normalise.

        Args:
            scores: `[..., heads, queries, keys]`, -inf at keys that are hidden. Each query sees
                one key at least. Where no gradient is wanted they may be overwritten.
            thresholds: what `thresholds` gave, `[..., heads, queries]`.
            share: what a kept key of each query counts in the penalty of eq. 19 (`shares`): one
                over the characters of its sentence, 0 at padding. Anything that `[..., queries]`
                can be multiplied with. A learnt threshold needs it in training, nothing else
                reads it.

        Returns:
            Weights of the shape of the scores: rows sum to 1, keys that are dropped have 0.
        """
        if self.observed is None:
            return self.select(scores, thresholds, share)
        seen = scores.detach() > -torch.inf
        weights = self.select(scores, thresholds, share)
        self.observed.append(Observed(weights.detach(), seen))
        return weights

    @abstractmethod
    def select(self, scores: Tensor, thresholds: Tensor | None, share: Tensor | None) -> Tensor:
        """`forward`, unobserved."""

    def train(self, mode: bool = True) -> Selection:
        """Change the mode; what is left of a forward pass that had no loss goes."""
        self.penalties.clear()
        super().train(mode)
        return self


class Dense(Selection):
    """All keys."""

    def select(self, scores: Tensor, thresholds: Tensor | None, share: Tensor | None) -> Tensor:
        """The softmax."""
        return torch.softmax(scores, dim=-1)


class TopK(Selection):
    """The keys with the k highest scores (Zhao et al. 2019).

    Those as high as the k-th are kept, so ties may add to them.
    """

    def select(self, scores: Tensor, thresholds: Tensor | None, share: Tensor | None) -> Tensor:
        """The softmax over the kept keys; the choice itself has no gradient."""
        floor = top(scores.detach(), self.config.keep)
        return torch.softmax(scores.masked_fill(scores < floor, -torch.inf), dim=-1)


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

    def select(self, scores: Tensor, thresholds: Tensor | None, share: Tensor | None) -> Tensor:
        """The map of each row."""
        # A score this far below the best one has the weight 0, and there is no -inf to calculate
        # with: 1 below would do for sparsemax, 2 for entmax.
        lowest = scores.detach().amax(-1, keepdim=True) - 3
        weights: Tensor = self._map(torch.where(scores < lowest, lowest, scores), dim=-1)
        return weights


def top(scores: Tensor, keep: int) -> Tensor:
    """The score of the last of the best keys of each query: eq. 8's topk.

    Args:
        scores: `[..., keys]`, -inf at keys that are hidden.
        keep: how many keys are wanted; where fewer are seen, the last of those counts.

    Returns:
        `[..., 1]`.
    """
    best = scores.topk(min(keep, scores.shape[-1]), dim=-1, sorted=False).values
    return best.masked_fill(best == -torch.inf, torch.inf).amin(-1, keepdim=True)


def make_selection(
    config: SelectionConfig, dim: int, heads: int, groups: int | None = None
) -> Selection:
    """The selection of one layer.

    Args:
        config: its settings.
        dim: the size of what queries are made of.
        heads: attention heads.
        groups: for scores `[groups, batch, heads, queries, keys]`, each group with thresholds of
            its own; None where there are no groups.

    Raises:
        FenjieError: a package that it needs is not installed.
    """
    if config.kind == "threshold":
        from fenjie.nn.attention.thresholds import Threshold  # which is a Selection

        return Threshold(config, dim, heads, groups)
    kinds: dict[str, Callable[[SelectionConfig], Selection]] = {
        "dense": Dense,
        "top-k": TopK,
        "sparsemax": Sparse,
        "entmax": Sparse,
    }
    return kinds[config.kind](config)


def is_dense(selection: Selection) -> bool:
    """Whether a softmax will do: nothing is dropped, and nobody observes the weights."""
    return isinstance(selection, Dense) and selection.observed is None


def shares(mask: Tensor) -> Tensor:
    """What a kept key counts for the queries of padded sentences, see `Selection.forward`.

    Args:
        mask: the real characters, `[batch, length]`, bool.

    Returns:
        `[batch, length]`: one over the length of the sentence; 0 at padding.
    """
    return mask / mask.sum(-1, keepdim=True)


def penalty(model: nn.Module) -> Tensor | float:
    """λ‖z‖₁ / L of eq. 19, summed over the sentences of a batch, the layers and the heads.

    It is that of the last forward pass in training, and can be read once: then its graph goes.
    """
    total: Tensor | float = 0.0
    for module in model.modules():
        if isinstance(module, Selection) and module.penalties:
            total = total + module.config.sparsity * torch.stack(module.penalties).sum()
            module.penalties.clear()
    return total


def forget(model: nn.Module, _: Any) -> None:
    """Drop penalties that nobody read: a hook to run before the forward pass of a model."""
    if model.training:
        penalty(model)


@contextmanager
def observing(model: nn.Module) -> Iterator[dict[str, list[Observed]]]:
    """Within the block, note what the selections of a model give.

    Yields:
        By the name of each selection in the model, in the order of the layers, what it gave call
        by call. Queries of padding are among it: observe sentences one by one.
    """
    found: dict[str, list[Observed]] = {}
    selections = {name: m for name, m in model.named_modules() if isinstance(m, Selection)}
    for name, selection in selections.items():
        selection.observed = found[name] = []
    try:
        yield found
    finally:
        for selection in selections.values():
            selection.observed = None


def kept_share(calls: Sequence[Observed]) -> Tensor:
    """Of the keys that were seen, which share each head has kept: `[heads]`."""
    heads = calls[0].weights.shape[-3]
    # [..., heads, queries, keys] -> [heads]
    kept = sum((call.weights > 0).sum((-2, -1)).view(-1, heads).sum(0) for call in calls)
    seen = sum(call.seen.sum((-2, -1)).view(-1, heads).sum(0) for call in calls)
    return torch.as_tensor(kept / seen)


def directional(directions: Sequence[Direction], offset: Tensor) -> Tensor:
    """Who sees whom by direction alone (SAMS, eq. 4).

    Args:
        directions: one entry a group. `forward` sees keys up to the query itself, `backward`
            from the query on, `center` all.
        offset: key position minus query position, any shape.

    Returns:
        `[groups, *offset.shape]`, bool.
    """
    views = {
        "forward": offset <= 0,
        "center": torch.ones_like(offset, dtype=torch.bool),
        "backward": offset >= 0,
    }
    return torch.stack([views[direction] for direction in directions])
