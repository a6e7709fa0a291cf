"""The attention weights of a model on one sentence."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.nn.attention.relative import RelativeAttention
from fenjie.nn.attention.selection import observing
from fenjie.nn.attention.span_relative import LatticeAttention
from fenjie.nn.lattice import Lattice


@torch.no_grad()
def kept_attention(model: nn.Module, lattice: Lattice) -> list[Tensor]:
    """The attention weights of each layer, 0 for keys that are not kept.

    Args:
        model: a tagger in evaluation mode.
        lattice: one sentence.

    Returns:
        `[heads, queries, keys]` each: first the characters, then the words, where words are among
        them. Nothing for a model whose attention cannot be drawn so.

    Raises:
        FenjieError: the attention is within windows, which have no such table.
    """
    with observing(model) as observed:
        model(lattice)
    found = []
    for name, calls in observed.items():
        if not calls:  # the layer computes its weights without a selection
            continue
        layer = model.get_submodule(name.rpartition(".")[0])
        weights = [one.weights for one in calls]
        if isinstance(layer, RelativeAttention):
            found.append(weights[0][0])
        elif isinstance(layer, LatticeAttention):
            found.append(_in_order(torch.cat(weights, dim=1), lattice))
        else:
            raise FenjieError("attention within windows cannot be drawn as one table")
    return found


def _in_order(weights: Tensor, lattice: Lattice) -> Tensor:
    """Weights over tokens as FLAT sorts them, with characters first and words after them."""
    order = torch.argsort(lattice.tokens.order)
    weights = weights[..., order]
    return weights[:, order] if weights.shape[1] == len(order) else weights
