"""Layers of several encoders side by side: each group is a layer of its own."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from fenjie.nn.grouped import GroupedLayerNorm, GroupedLinear


def test_a_linear_map_for_each_group() -> None:
    torch.manual_seed(0)
    module = GroupedLinear(3, 4, 5)
    torch.nn.init.normal_(module.bias)
    for shape in ((3, 7, 4), (3, 2, 7, 4)):
        x = torch.randn(shape)
        found = module(x)
        assert found.shape == (*shape[:-1], 5)
        for group in range(3):
            expected = F.linear(x[group], module.weight[group].T, module.bias[group, 0])
            assert torch.allclose(found[group], expected, atol=1e-6)


def test_a_norm_for_each_group() -> None:
    torch.manual_seed(0)
    module, x = GroupedLayerNorm(2, 4), torch.randn(2, 3, 5, 4)
    torch.nn.init.normal_(module.scale)
    torch.nn.init.normal_(module.shift)
    found = module(x)
    for group in range(2):
        scale, shift = module.scale[group].flatten(), module.shift[group].flatten()
        assert torch.allclose(found[group], F.layer_norm(x[group], (4,), scale, shift))
