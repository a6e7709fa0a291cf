"""The encoders of SAMS one after another: the form that ONNX Runtime runs fastest.

Its products of two matrices with a bias, and with a ReLU after them, are one operation each and
take weights that are packed once, when the model is loaded; its products of stacks of matrices
have neither. Three encoders in a row cost it less than three side by side. Characters come first
and texts second, so that the products of heads find their parts without a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.attention.dense import DensePattern
from fenjie.nn.attention.finite import FinitePattern
from fenjie.nn.fused import add_and_norm, mixed_by_heads, scores_of_heads
from fenjie.nn.grouped import GroupedLayerNorm, GroupedLinear


def encode_in_turn(
    layers: nn.ModuleList, groups: Sequence[Tensor], pattern: DensePattern | FinitePattern
) -> list[Tensor]:
    """Some layers of all encoders, one encoder after another.

    Args:
        layers: each a `fenjie.nn.encoders.transformer.TransformerLayer` in evaluation.
        groups: the input of each encoder, `[length * batch, dim]`; so is the result.
        pattern: that of all groups.
    """
    made = []
    for group, rows in enumerate(groups):
        for layer in layers:
            rows = single_layer(layer, group, rows, pattern)
        made.append(rows)
    return made


def single_layer(
    layer: Any, group: int, flat: Tensor, pattern: DensePattern | FinitePattern
) -> Tensor:
    """One group of a layer: `[length * batch, dim]` to the same."""
    attention, feed_forward = layer.attention, layer.feed_forward
    dim = flat.shape[1]
    split = (pattern.mask.shape[1], -1, attention.heads, dim // attention.heads)
    weights, biases = attention.project.weight[group], attention.project.bias[group, 0]
    query, key = (
        F.linear(flat, weights[:, part].t(), biases[part]).view(split)
        for part in (slice(dim), slice(dim, 2 * dim))
    )
    value = (flat @ weights[:, 2 * dim :]).view(split)
    scores = scores_of_heads(query, key)
    if isinstance(pattern, FinitePattern):
        mixed = pattern.mix(scores, value, group)
    else:
        chosen = replace(pattern, bias=pattern.bias[group])
        texts = flat.view(split[0], -1, dim).transpose(0, 1)
        kept = attention.select(texts, chosen.weigh(scores), pattern.mask, group)
        mixed = mixed_by_heads(kept.weights, value)
    # (B, H, N, D/H) -> (N * B, D)
    mixed = mixed.permute(2, 0, 1, 3).reshape(-1, dim)
    # The weights of the keys sum to 1, so the bias of the values comes through as it is.
    merge = attention.merge.weight[group]
    bias = biases[2 * dim :] @ merge + attention.merge.bias[group, 0]
    flat = _add_and_norm(flat, mixed @ merge, bias, layer.attention_norm, group)
    wide = F.relu(_linear(flat, feed_forward.widen, group))
    narrow, bias = feed_forward.narrow.weight[group], feed_forward.narrow.bias[group, 0]
    return _add_and_norm(flat, wide @ narrow, bias, layer.feed_forward_norm, group)


def _linear(x: Tensor, grouped: GroupedLinear, group: int) -> Tensor:
    """One group of a grouped map: `[rows, dim] -> [rows, outputs]`."""
    return F.linear(x, grouped.weight[group].t(), grouped.bias[group, 0])


def _add_and_norm(
    x: Tensor, y: Tensor, bias: Tensor, grouped: GroupedLayerNorm, group: int
) -> Tensor:
    """`add_and_norm` by one group of a grouped norm: `[rows, dim] -> [rows, dim]`."""
    return add_and_norm(x, y, bias, grouped.scale[group].flatten(), grouped.shift[group].flatten())
