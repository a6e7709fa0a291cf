"""Transformer layers over groups of encoders."""

from __future__ import annotations

import torch

from fenjie.nn.attention.dense import DensePattern
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.encoders.transformer import FeedForward, TransformerLayer


def test_feed_forward_is_two_maps_with_a_relu() -> None:
    torch.manual_seed(0)
    module, x = FeedForward(2, 4, 6), torch.randn(2, 3, 5, 4)
    for group in range(2):
        wide = torch.relu(x[group] @ module.widen.weight[group] + module.widen.bias[group, 0])
        expected = wide @ module.narrow.weight[group] + module.narrow.bias[group, 0]
        assert torch.allclose(module(x)[group], expected, atol=1e-6)


def test_groups_do_not_mix() -> None:
    torch.manual_seed(0)
    layer = TransformerLayer(2, 4, 2, 6, 0.0, SelectionConfig()).eval()
    x, mask = torch.randn(2, 1, 5, 4), torch.ones(1, 5, dtype=torch.bool)
    pattern = DensePattern.make(mask, ("center", "center"), None, x)
    changed = x.clone()
    changed[1] += 1
    found, other = layer(x, pattern).x, layer(changed, pattern).x
    assert torch.equal(found[0], other[0])
    assert not torch.equal(found[1], other[1])
    assert torch.allclose(found.mean(-1), torch.zeros(2, 1, 5), atol=1e-5), "the last is a norm"
