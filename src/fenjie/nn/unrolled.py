"""The encoders one after another: the same function in the form that ONNX Runtime runs fastest.

Its products of two matrices with a bias, and with a ReLU behind them, are one operation each and
take weights that are packed once, when the model is loaded; its products of stacks of matrices
have neither. Three encoders in a row cost it less than three side by side. Norms are those of
instances, see `RowNorm`.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.attention.dense import DensePattern
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.encoders.transformer import TransformerLayer
from fenjie.nn.grouped import GroupedLayerNorm, GroupedLinear
from fenjie.nn.unrolled_selection import UnrolledSelection


def unroll(model: nn.Module) -> nn.Module:
    """A copy of a model for export, with an `UnrolledLayer` for each `TransformerLayer`.

    Its attention scores every pair. It is in evaluation mode: nothing is dropped.
    """
    model = copy.deepcopy(model).eval()
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, TransformerLayer):
                setattr(module, name, UnrolledLayer(child))
    return model


class UnrolledLayer(nn.Module):
    """A `TransformerLayer` as one `SingleLayer` for each group."""

    def __init__(self, layer: TransformerLayer) -> None:
        super().__init__()
        groups = len(layer.attention.merge.weight)
        self.groups = nn.ModuleList(SingleLayer(layer, group) for group in range(groups))

    def forward(self, x: Tensor, pattern: DensePattern) -> Encoded:
        """`[groups, batch, length, dim] -> [groups, batch, length, dim]`."""
        groups = [
            layer(x[group], replace(pattern, bias=pattern.bias[group]))
            for group, layer in enumerate(self.groups)
        ]
        return Encoded(torch.stack(groups))


class SingleLayer(nn.Module):
    """One group of a `TransformerLayer`."""

    def __init__(self, layer: TransformerLayer, group: int) -> None:
        super().__init__()
        attention = layer.attention
        query, key, value = _linear(attention.project, group, parts=3)
        self.heads = attention.heads
        self.query, self.key, self.value = query, key, value
        (self.merge,) = _linear(attention.merge, group)
        self.selection = UnrolledSelection(attention.selection, group)
        self.attention_norm = RowNorm(layer.attention_norm, group)
        (self.widen,) = _linear(layer.feed_forward.widen, group)
        (self.narrow,) = _linear(layer.feed_forward.narrow, group)
        self.feed_forward_norm = RowNorm(layer.feed_forward_norm, group)

    def forward(self, x: Tensor, pattern: DensePattern) -> Tensor:
        """`[batch, length, dim] -> [batch, length, dim]`; the pattern is that of the group."""
        batch, length, dim = x.shape
        flat = x.reshape(batch * length, dim)
        # 3 of (B, H, N, D/H)
        query, key, value = (
            part(flat).view(batch, length, self.heads, -1).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        mixed = self.selection(pattern.scores(query, key), x, pattern.mask) @ value
        mixed = mixed.transpose(1, 2).reshape(batch * length, dim)
        flat = self.attention_norm(flat + self.merge(mixed))
        flat = self.feed_forward_norm(flat + self.narrow(F.relu(self.widen(flat))))
        result: Tensor = flat.view(batch, length, dim)
        return result


class RowNorm(nn.Module):
    """One group of a `GroupedLayerNorm`.

    Each row is an instance: that kernel of ONNX Runtime sums it in vectors, while the one for
    layers goes number by number, which takes a fifth of the time of a model.
    """

    def __init__(self, grouped: GroupedLayerNorm, group: int) -> None:
        super().__init__()
        self.register_buffer("scale", grouped.scale[group].detach().flatten().clone())
        self.register_buffer("shift", grouped.shift[group].detach().flatten().clone())
        self.scale: Tensor
        self.shift: Tensor

    def forward(self, x: Tensor) -> Tensor:
        """`[rows, dim] -> [rows, dim]`."""
        result: Tensor = F.instance_norm(x.unsqueeze(1)).squeeze(1) * self.scale + self.shift
        return result


def _linear(grouped: GroupedLinear, group: int, parts: int = 1) -> list[nn.Linear]:
    """One group of a grouped map, its outputs cut into equal parts."""
    made = []
    weights = grouped.weight[group].chunk(parts, dim=-1)
    biases = grouped.bias[group, 0].chunk(parts, dim=-1)
    for weight, bias in zip(weights, biases, strict=True):
        inputs, outputs = weight.shape
        linear = nn.Linear(inputs, outputs, device=weight.device, dtype=weight.dtype)
        linear.weight.data = weight.detach().t().contiguous()
        linear.bias.data = bias.detach().clone()
        made.append(linear)
    return made
