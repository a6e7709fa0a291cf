"""Attention in a graph is what its equation gives, node by node; what is not linked is not seen."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from fenjie.nn.attention.graph import SLOPE, GraphAttention
from tests.lattices import moved


def test_definition() -> None:
    layer = moved(GraphAttention(5, 3, 2, 0.5))
    x, links = torch.randn(2, 6, 5).double(), torch.rand(2, 6, 6) < 0.4
    links |= torch.eye(6, dtype=torch.bool)
    found = layer(x, links)
    for row in range(2):
        for head in range(2):
            weight = layer.project.weight.chunk(2)[head]
            a = torch.cat((layer.own[head], layer.other[head]))
            h = [weight @ node for node in x[row]]
            for i in range(6):
                seen = [j for j in range(6) if links[row, i, j]]
                scores = [F.leaky_relu(a @ torch.cat((h[i], h[j])), SLOPE) for j in seen]
                shares = torch.stack(scores).softmax(0)
                expected = sum(s * h[j] for s, j in zip(shares, seen, strict=True))
                assert torch.allclose(found[row, i, head], expected, rtol=0, atol=1e-12)


def test_dropout_is_for_training() -> None:
    layer = GraphAttention(5, 3, 2, 0.5)
    x, links = torch.randn(1, 6, 5), torch.ones(1, 6, 6, dtype=torch.bool)
    assert not torch.equal(layer(x, links), layer(x, links))
    layer.eval()
    assert torch.equal(layer(x, links), layer(x, links))
