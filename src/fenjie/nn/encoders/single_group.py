"""The encoders of SAMS one after another: the form that ONNX Runtime runs fastest.

Its products of two matrices with a bias, and with a ReLU after them, are one operation each and
take weights that are packed once, when the model is loaded; its products of stacks of matrices
have neither. Three encoders in a row cost it less than three side by side.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch.nn.functional as F
from torch import Tensor

from fenjie.nn.attention.dense import DensePattern
from fenjie.nn.grouped import GroupedLayerNorm, GroupedLinear


def single_layer(layer: Any, group: int, x: Tensor, pattern: DensePattern) -> Tensor:
    """One group of a `fenjie.nn.encoders.transformer.TransformerLayer`, in evaluation.

    `[batch, length, dim]` to the same; the pattern is that of all groups.
    """
    attention, feed_forward = layer.attention, layer.feed_forward
    batch, length, dim = x.shape
    split = (batch, length, attention.heads, dim // attention.heads)
    flat = x.reshape(batch * length, dim)
    # 3 of (B, H, N, D/H)
    query, key, value = (
        _linear(flat, attention.project, group, slice(part * dim, (part + 1) * dim))
        .view(split)
        .transpose(1, 2)
        for part in range(3)
    )
    scores = replace(pattern, bias=pattern.bias[group]).scores(query, key)
    mixed = attention.select(x, scores, pattern.mask, group).weights @ value
    mixed = mixed.transpose(1, 2).reshape(batch * length, dim)
    flat = _norm(flat + _linear(mixed, attention.merge, group), layer.attention_norm, group)
    wide = F.relu(_linear(flat, feed_forward.widen, group))
    narrow = _linear(wide, feed_forward.narrow, group)
    return _norm(flat + narrow, layer.feed_forward_norm, group).view(batch, length, dim)


def _linear(x: Tensor, grouped: GroupedLinear, group: int, part: slice = slice(None)) -> Tensor:
    """One group of a grouped map, or a part of its outputs: `[rows, dim] -> [rows, outputs]`."""
    weight, bias = grouped.weight[group][:, part], grouped.bias[group, 0][part]
    return F.linear(x, weight.t(), bias)


def _norm(x: Tensor, grouped: GroupedLayerNorm, group: int) -> Tensor:
    """One group of a grouped norm: `[rows, dim] -> [rows, dim]`.

    Each row is an instance: that kernel of ONNX Runtime sums it in vectors, while the one for
    layers goes number by number, which takes a fifth of the time of a model.
    """
    scale, shift = grouped.scale[group].flatten(), grouped.shift[group].flatten()
    return F.instance_norm(x.unsqueeze(1)).squeeze(1) * scale + shift
