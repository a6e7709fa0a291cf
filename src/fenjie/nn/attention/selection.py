"""Selections: from the scores of attention to the weights of the keys that a query keeps.

The base of all selections, which are themselves in `fenjie.nn.attention.selections` and
`fenjie.nn.attention.thresholds`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import torch
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.ranges import Count, Factor, Positive

Kind = Literal["dense", "top-k", "sparsemax", "entmax", "threshold"]

Penalty = Tensor | float
"""Cost of the kept keys, λ‖z‖₁ / L of ATSSA's eq. 19, summed over the sentences of a batch and the
heads; 0 but for thresholds in training."""


@dataclass(frozen=True)
class SelectionConfig:
    """The keys that a query keeps; the defaults of the threshold are ATSSA's (section 5.1).

    Attributes:
        kind: `dense` keeps all keys. `top-k` keeps those with the `keep` highest scores.
            `sparsemax` and `entmax` (α = 1.5) keep those that their projection gives a weight.
            `threshold` keeps those whose score reaches a threshold learnt for each query and head.
        keep: for `top-k` the number of keys that are kept; for `threshold` their least number
            (eq. 8), 0 for no such floor. Where a query sees fewer keys, all of them.
        amplification: α of eq. 9, how steep the step is in training; 1 for none.
        dynamic: whether thresholds are learnt (eq. 7); else they are 0.
        soft: whether training mixes with the soft sample of eq. 17, instead of with its rounded
            value and the gradient of the soft one (straight-through).
        sparsity: λ of eq. 19.
    """

    REMOVED: ClassVar[dict[str, float]] = {"temperature": 1.0}

    kind: Kind = "dense"
    keep: Count = 3
    amplification: Positive = 50.0
    dynamic: bool = True
    soft: bool = False
    sparsity: Factor = 4e-6

    def __post_init__(self) -> None:
        """Raise a FenjieError where top-k keeps no key."""
        if self.kind == "top-k" and not self.keep:
            raise FenjieError("keep must be at least 1; found 0")


class Selected(NamedTuple):
    """The result of a selection.

    Attributes:
        weights: `[..., heads, queries, keys]`; rows sum to 1, keys that are dropped have 0.
        penalty: cost of the keys that are kept, a scalar.
    """

    weights: Tensor
    penalty: Penalty = 0.0


class Encoded(NamedTuple):
    """The output of an attention, a layer or an encoder.

    Attributes:
        x: the vectors, `[..., dim]`.
        penalty: cost of the keys kept on the way to them, a scalar.
    """

    x: Tensor
    penalty: Penalty = 0.0


class Observed(NamedTuple):
    """One call of a selection.

    Attributes:
        weights: `[..., heads, queries, keys]`, 0 at keys that are not kept.
        seen: the keys that were there to choose from, of the same shape, bool.
    """

    weights: Tensor
    seen: Tensor


class Selection(nn.Module, ABC):
    """From scores to weights; a subclass says how."""

    def __init__(self, config: SelectionConfig) -> None:
        super().__init__()
        self.config = config
        self.observed: list[Observed] | None = None

    def thresholds(self, query: Tensor, mean: Tensor, group: int | None = None) -> Tensor | None:
        """The thresholds that `forward` takes (eq. 7).

        Args:
            query: the inputs of the queries, `[..., queries, dim]`.
            mean: the mean of the inputs over the real tokens of a sentence, `[..., 1, dim]`, or
                one for each query.
            group: of several groups the one that they are of; None where they are of all.

        Returns:
            `[..., heads, queries]`; None where the selection has no thresholds that are learnt.
        """
        return None

    def forward(
        self, scores: Tensor, thresholds: Tensor | None = None, share: Tensor | None = None
    ) -> Selected:
        """Select and normalise.

        Args:
            scores: `[..., heads, queries, keys]`, -inf at keys that are hidden. Each query sees
                one key at least. Where no gradient is wanted they may be overwritten.
            thresholds: those of the queries, `[..., heads, queries]`.
            share: weight of a kept key of each query in the penalty of eq. 19 (`shares`): one
                over the characters of its sentence, 0 at padding; of a shape that
                `[..., queries]` can be multiplied with. Needed for a learnt threshold in training,
                else not read.
        """
        if self.observed is None:
            return self.select(scores, thresholds, share)
        seen = scores.detach() > -torch.inf
        selected = self.select(scores, thresholds, share)
        self.observed.append(Observed(selected.weights.detach(), seen))
        return selected

    @abstractmethod
    def select(self, scores: Tensor, thresholds: Tensor | None, share: Tensor | None) -> Selected:
        """`forward`, unobserved."""


def top(scores: Tensor, keep: int) -> Tensor:
    """The score of the last of the best keys of each query (eq. 8): `[..., keys] -> [..., 1]`.

    Where a query sees fewer than `keep` keys, the last of those counts; hidden ones have -inf.
    """
    best = scores.topk(min(keep, scores.shape[-1]), dim=-1, sorted=False).values
    return best.masked_fill(best == -torch.inf, torch.inf).amin(-1, keepdim=True)


def shares(mask: Tensor) -> Tensor:
    """Weight of a kept key of the queries of padded sentences, see `Selection.forward`.

    From a mask to one over the length of the sentence, 0 at padding: `[batch, length]` both.
    """
    return mask / mask.sum(-1, keepdim=True)


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    """The mean over the real tokens: `[..., batch, tokens, dim] -> [..., batch, 1, dim]`."""
    real = mask[..., None].to(x.dtype)
    return (x * real).sum(-2, keepdim=True) / real.sum(-2, keepdim=True)


@contextmanager
def observing(model: nn.Module) -> Iterator[dict[str, list[Observed]]]:
    """Within the block, record the calls of the selections of a model.

    Yields:
        By the name of each selection in the model, in the order of the layers, its calls. Queries
        of padding are among them: observe sentences one by one.
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
    """Share of the keys seen that each head has kept: `[heads]`."""
    heads = calls[0].weights.shape[-3]
    # [..., heads, queries, keys] -> [heads]
    kept = sum((call.weights > 0).sum((-2, -1)).view(-1, heads).sum(0) for call in calls)
    seen = sum(call.seen.sum((-2, -1)).view(-1, heads).sum(0) for call in calls)
    return torch.as_tensor(kept / seen)
